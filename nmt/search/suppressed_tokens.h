// Tokens that a model never generates, by its config.json: at all, after certain others, or first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/model/config.h"

namespace dietmt::nmt {

/// The ids of pieces.
class PieceIds {
 public:
  explicit PieceIds(const data::Tokenizer& tokenizer);

  /// Throws CheckpointError naming a piece that the tokenizer lacks.
  std::vector<int32_t> of(const std::vector<std::string>& pieces) const;

 private:
  std::unordered_map<std::string, int32_t> ids_;
};

class SuppressedTokens {
 public:
  /// `sequences`: of one token or more, one after the other; `first`: that nothing begins with.
  SuppressedTokens(const std::vector<std::vector<int32_t>>& sequences, std::vector<int32_t> first);

  /// Adds the tokens that must not follow those of a hypothesis. `tags`: how many of them, at the
  /// start, name the language of the translation.
  void add_ends(std::span<const int32_t> tokens, int64_t tags, std::vector<int32_t>& ends) const;

 private:
  std::vector<int32_t> always_, first_;
  std::vector<std::vector<int32_t>> sequences_;  // of two or more, by the last but one
};

/// Null if there are none. Throws CheckpointError, with the `file` of the pieces if it is given.
std::shared_ptr<const SuppressedTokens> suppressed_tokens(const SuppressedPieces& pieces,
                                                          const data::Tokenizer& target,
                                                          const std::string& file = "");

}  // namespace dietmt::nmt
