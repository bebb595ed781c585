// A client's bytes in the service: body to fields, text to sentences, HTML to text. The first byte
// selects the form of the body. Nothing may crash, and the pieces must join to the text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/text_io.h"
#include "data/text/sentence_splitter.h"
#include "service/api/fields.h"
#include "service/documents/markup.h"

namespace {

using namespace dietmt::service;

void require(bool holds) {
  if (!holds) std::abort();
}

void split(const std::string& text) {
  for (const char* language : {"en", "de", "ja", "th"}) {
    const dietmt::data::SplitText parts = dietmt::data::split_sentences(text, language);
    std::string joined;
    for (const dietmt::data::SentencePiece& piece : parts.pieces) {
      require(!piece.sentence.empty());
      joined.append(piece.before).append(piece.sentence);
    }
    require(joined.append(parts.after) == text);
  }
  std::string joined;
  for (const MarkupPart& part : split_markup(text)) joined += part.raw;
  require(joined == text);
  require(resolve_references(escape_markup(text)) == text);
}

void read_body(const Call& call) {
  try {
    const Fields fields(call);
    search_options(fields, {});
    for (const std::string& text : fields.texts("q")) {
      require(dietmt::invalid_utf8_at(text) == std::string::npos);
      split(text);
    }
  } catch (const HttpError& error) {
    require(error.status() == 400 || error.status() == 415);
    require(!error_answer(std::current_exception()).body.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Call call;
  call.body.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  call.content_type = data[0] % 2 == 0 ? "application/json" : "application/x-www-form-urlencoded";
  read_body(call);
  split(dietmt::replace_invalid_utf8(call.body));
  return 0;
}
