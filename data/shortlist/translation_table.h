// Sparse translation probabilities p(target | source) of subword ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/shortlist/cooccurrence.h"

namespace dietmt::data {

/// One row per source id, then the row of the null word. A row lists its target ids in ascending
/// order; ids that are not listed have probability 0.
class TranslationTable {
 public:
  /// `cells`: sorted by key; row `source_vocabulary` is the null word's. All probabilities are 0
  /// until set_probabilities().
  TranslationTable(std::span<const CellCount> cells, int64_t source_vocabulary);

  int32_t null_row() const { return static_cast<int32_t>(bounds_.size()) - 2; }
  int64_t cells() const { return static_cast<int64_t>(targets_.size()); }

  std::span<const int32_t> targets(int32_t row) const { return part(targets_, row); }
  std::span<const float> probabilities(int32_t row) const { return part(probabilities_, row); }

  /// The cell of (row, target), or -1.
  int64_t find(int32_t row, int32_t target) const;
  float probability(int64_t cell) const {
    return cell < 0 ? 0.0f : probabilities_[static_cast<size_t>(cell)];
  }

  /// The M-step: each row's counts divided by their sum. `counts`: of all cells.
  void set_probabilities(std::span<const FixedCount> counts);

 private:
  template <typename T>
  std::span<const T> part(const std::vector<T>& values, int32_t row) const {
    const int64_t begin = bounds_[static_cast<size_t>(row)];
    const int64_t end = bounds_[static_cast<size_t>(row) + 1];
    return std::span<const T>(values).subspan(static_cast<size_t>(begin),
                                              static_cast<size_t>(end - begin));
  }

  std::vector<int64_t> bounds_;  // [source vocabulary + 2]
  std::vector<int32_t> targets_;
  std::vector<float> probabilities_;
};

}  // namespace dietmt::data
