#include "nmt/translation/prefix_encoder.h"

#include <algorithm>

#include "data/text/source_tag.h"
#include "data/text/word_text.h"

namespace dietmt::nmt {
namespace {

// More pieces than a word has, if it is one.
constexpr size_t kMostPieces = 16;

bool ends_inside_word(std::string_view text) {
  const std::u32string characters = data::characters_of(text);
  return !characters.empty() && data::joins_word(characters.back());
}

}  // namespace

OpenWord open_word(std::string_view text, const PieceIndex& pieces, std::vector<int32_t>& prefix) {
  const data::Tokenizer& tokenizer = pieces.tokenizer();
  OpenWord word;
  if (pieces.empty() || text.empty() || prefix.empty()) return word;
  if (text.back() == ' ') {
    word.choices = {pieces.beginning_with(std::string(data::kWordBegin))};
    word.choices.front().push_back(tokenizer.end_id());
    std::ranges::sort(word.choices.front());
    return word;
  }
  if (!ends_inside_word(text)) return word;
  std::string rest;
  while (!prefix.empty() && word.pieces.size() < kMostPieces &&
         prefix.back() != tokenizer.unknown_id()) {
    const std::string piece = tokenizer.piece(prefix.back());
    if (piece != data::kWordBegin && !ends_inside_word(piece)) break;
    rest.insert(0, piece);
    word.pieces.insert(word.pieces.begin(), prefix.back());
    word.choices.insert(word.choices.begin(), pieces.beginning_with(rest));
    prefix.pop_back();
    if (piece.starts_with(data::kWordBegin)) break;
  }
  for (size_t i = 0; i < word.pieces.size(); ++i) {
    std::vector<int32_t>& choices = word.choices[i];
    choices.push_back(word.pieces[i]);
    std::ranges::sort(choices);
    choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
  }
  return word;
}

}  // namespace dietmt::nmt
