// What a model's translations keep as their sources have it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/alignment/kept_kinds.h"

namespace dietmt::nmt {

/// The parts of a text that became unknown pieces, in order, as views into it: whole words of
/// Latin, Greek and Cyrillic letters, and of other scripts only the characters.
std::vector<std::string_view> unknown_in(std::string_view text, const data::SpannedPieces& pieces,
                                         int32_t unknown_id);

/// Finds what a text has of some kinds: kept_in() and, of Kept::kUnknown, unknown_in() it.
class KeptFinder {
 public:
  /// `tokenizer`: of the model, which must outlive the finder; null: nothing is unknown.
  KeptFinder(const data::Tokenizer* tokenizer, KeptKinds kinds)
      : tokenizer_(tokenizer), kinds_(kinds) {}

  KeptKinds kinds() const { return kinds_; }
  KeptFinder of(KeptKinds kinds) const { return {tokenizer_, kinds}; }

  /// In order, as views into the text, which must be UTF-8.
  std::vector<std::string_view> operator()(std::string_view text) const;

 private:
  const data::Tokenizer* tokenizer_;
  KeptKinds kinds_;
};

}  // namespace dietmt::nmt
