// How well the words of pairs match, by the statistical aligner: trained on a part of the text that
// is cleaned, as OpusFilter's WordAlignFilter is without priors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/cleaning/pair_rule.h"
#include "data/cleaning/pair_source.h"
#include "data/shortlist/aligner.h"

namespace dietmt::data {

/// The words of one side as numbers. A word is a run of letters, digits and marks without case; any
/// other character that is no space is a word by itself, and so is each one of scripts that write
/// no spaces.
class AlignerWords {
 public:
  /// New words get new numbers.
  std::vector<int32_t> added(std::string_view text);
  /// -1: a word without a number.
  std::vector<int32_t> known(std::string_view text) const;
  int64_t size() const { return std::ssize(numbers_); }

 private:
  std::unordered_map<std::string, int32_t> numbers_;
};

class PairAligner {
 public:
  /// Learns from up to `most` pairs of `source`.
  PairAligner(PairSource& source, int64_t most, int64_t threads);

  /// Thread-safe. An empty side has 0.
  std::vector<PairEntropies> entropies(const std::vector<PairSides>& pairs) const;

  int64_t pairs() const { return pairs_; }

 private:
  int64_t pairs_ = 0;  // that it learned from
  AlignerWords source_, target_;
  std::vector<WordAligner> directions_;  // p(target | source), p(source | target)
};

}  // namespace dietmt::data
