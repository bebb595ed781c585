#include "nmt/translation/avoided_ends.h"

#include <boost/algorithm/string/replace.hpp>

#include "common/error.h"
#include "common/trimmed.h"
#include "common/utf8.h"
#include "data/text/glossary.h"
#include "data/text/source_tag.h"
#include "data/text/word_text.h"

namespace dietmt::nmt {
namespace {

constexpr size_t kMostTexts = 100;
constexpr size_t kMostCharacters = 200;

// As sentencepiece reads it, with its mark for spaces.
std::string spelling_of(const std::string& text) {
  return boost::replace_all_copy(data::in_nfkc(trimmed(text, " ")), " ",
                                 std::string(data::kWordBegin));
}

void add_ends(const std::string& text, const PieceIndex& pieces,
              std::vector<AvoidedTexts::End>& ends) {
  const auto add = [&](const std::string& before, const std::string& piece, bool begins_word) {
    if (const int32_t token = pieces.named(piece); token >= 0)
      ends.push_back({before, token, begins_word});
  };
  add("", std::string(data::kWordBegin) + text, true);
  for (size_t at = 0; at < text.size(); ++at)
    if (!continues_character(text[at])) add(text.substr(0, at), text.substr(at), false);
}

}  // namespace

void check_avoided(const std::vector<std::string>& texts) {
  if (texts.size() > kMostTexts)
    throw DataError("avoid has " + std::to_string(texts.size()) + " texts; it may have " +
                    std::to_string(kMostTexts));
  for (const std::string& text : texts) {
    if (trimmed(text, " ").empty()) throw DataError("avoid has an empty text");
    if (data::characters_of(text).size() > kMostCharacters)
      throw DataError("a text of avoid has more than " + std::to_string(kMostCharacters) +
                      " characters");
  }
}

std::vector<AvoidedTexts::End> ends_of(const std::vector<std::string>& texts,
                                       const PieceIndex& pieces) {
  if (pieces.empty())
    throw DataError("avoid needs a model whose vocabulary is that of sentencepiece");
  std::vector<AvoidedTexts::End> ends;
  for (const std::string& text : texts)
    for (const std::string& form : data::written_forms(text))
      add_ends(spelling_of(form), pieces, ends);
  return ends;
}

}  // namespace dietmt::nmt
