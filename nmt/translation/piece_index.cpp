#include "nmt/translation/piece_index.h"

#include <algorithm>

namespace dietmt::nmt {

PieceIndex::PieceIndex(const data::Tokenizer& tokenizer) : tokenizer_(tokenizer) {
  if (tokenizer.sentencepiece().empty()) return;
  for (int64_t token = 0; token < tokenizer.vocabulary_size(); ++token) {
    const auto id = static_cast<int32_t>(token);
    if (id != tokenizer.unknown_id() && id != tokenizer.begin_id() && id != tokenizer.end_id() &&
        !tokenizer.is_tag(id))
      pieces_.emplace_back(tokenizer.piece(id), id);
  }
  std::ranges::sort(pieces_);
}

std::vector<int32_t> PieceIndex::beginning_with(const std::string& text) const {
  std::vector<int32_t> tokens;
  for (auto at = first_from(text); at != pieces_.end() && at->first.starts_with(text); ++at)
    tokens.push_back(at->second);
  return tokens;
}

int32_t PieceIndex::named(const std::string& text) const {
  const auto at = first_from(text);
  return at != pieces_.end() && at->first == text ? at->second : -1;
}

std::vector<PieceIndex::Piece>::const_iterator PieceIndex::first_from(
    const std::string& text) const {
  return std::ranges::lower_bound(pieces_, text, {}, &Piece::first);
}

}  // namespace dietmt::nmt
