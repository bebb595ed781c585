// Untrusted documents. The first byte selects the kind. A document is either refused or read, and
// its segments are text to translate.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/error.h"
#include "common/text_io.h"
#include "service/documents/kinds/open_document.h"
#include "service/documents/placeholders.h"

namespace {

using namespace dietmt::service;

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<Translation> without_placeholders(const ConnectedTexts& texts) {
  return std::vector<Translation>(texts.texts.size(), Translation{{.text = "x"}});
}

std::vector<Translation> unchanged(const ConnectedTexts& texts) {
  std::vector<Translation> all;
  for (const dietmt::nmt::MarkedText& text : texts.texts) all.push_back(in_source_order(text));
  return all;
}

using TranslateMarked = std::vector<Translation> (*)(const ConnectedTexts&);

void translate(DocumentKind kind, const std::string& bytes, TranslateMarked translate_marked) {
  const auto document = open_document(kind, bytes, {.source = "en", .target = "pl", .columns = "1"},
                                      {.bytes = 1 << 20, .nodes = 10'000});
  for (const dietmt::nmt::MarkedText& segment : document->segments()) {
    require(!segment.text.empty());
    require(dietmt::invalid_utf8_at(segment.text) == std::string::npos);
    require(has_all_marks(in_source_order(segment), segment));
  }
  document->translated(
      translate_keeping_placeholders(document->segments(), without_placeholders, translate_marked));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto kind = static_cast<DocumentKind>(data[0] % document_names().size());
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    for (const TranslateMarked translate_marked : {unchanged, without_placeholders})
      translate(kind, bytes, translate_marked);
  } catch (const dietmt::DataError&) {
  }
  return 0;
}
