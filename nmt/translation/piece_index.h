// The pieces of a vocabulary by their text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/text/tokenizer.h"

namespace dietmt::nmt {

/// Thread-safe.
class PieceIndex {
 public:
  /// Reads the whole vocabulary. `tokenizer` must outlive this.
  explicit PieceIndex(const data::Tokenizer& tokenizer);

  const data::Tokenizer& tokenizer() const { return tokenizer_; }

  /// Whether the vocabulary is no sentencepiece model's, whose pieces spell the text.
  bool empty() const { return pieces_.empty(); }

  std::vector<int32_t> beginning_with(const std::string& text) const;

  /// The piece with this text; -1: there is none.
  int32_t named(const std::string& text) const;

 private:
  using Piece = std::pair<std::string, int32_t>;

  std::vector<Piece>::const_iterator first_from(const std::string& text) const;

  const data::Tokenizer& tokenizer_;
  std::vector<Piece> pieces_;  // sorted
};

}  // namespace dietmt::nmt
