// Expected counts of (row, target id) pairs, collected sparsely and in bounded memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dietmt::data {

/// An expected count in units of 2^-32: sums of integers do not depend on their order, so that
/// several threads give the same bits as one.
using FixedCount = uint64_t;
constexpr double kFixedUnit = 0x1.0p32;

inline FixedCount to_fixed(double count) {
  return static_cast<FixedCount>(count * kFixedUnit + 0.5);
}
inline double from_fixed(FixedCount count) { return static_cast<double>(count) / kFixedUnit; }

/// One cell of the table.
struct CellCount {
  uint64_t key = 0;  // row << 32 | target
  FixedCount count = 0;

  static uint64_t key_of(int32_t row, int32_t target) {
    return static_cast<uint64_t>(row) << 32 | static_cast<uint32_t>(target);
  }
  int32_t row() const { return static_cast<int32_t>(key >> 32); }
  int32_t target() const { return static_cast<int32_t>(key & 0xffffffff); }
};

/// Sorts cells by key and adds up those of one key.
void sort_and_add(std::vector<CellCount>& cells);

/// Adds up sorted runs of cells. Their lengths grow geometrically, so that each cell is merged a
/// logarithmic number of times.
class CellCounter {
 public:
  /// Keeps at most `largest_size` cells in addition to those of `kept_row`: beyond that, the cells
  /// of the smallest counts so far are dropped until three quarters are left.
  CellCounter(int64_t largest_size, int32_t kept_row)
      : largest_size_(largest_size), kept_row_(kept_row) {}

  /// `run`: sorted by key, no key twice.
  void add(std::vector<CellCount> run);

  /// All cells, sorted by key. The counter is empty afterwards.
  std::vector<CellCount> finish();

  int64_t dropped() const { return dropped_; }

 private:
  void merge_last_two();
  void prune(std::vector<CellCount>& run);

  int64_t largest_size_;
  int32_t kept_row_;
  int64_t size_ = 0;  // cells of all runs
  int64_t dropped_ = 0;
  std::vector<std::vector<CellCount>> runs_;  // each at least twice as long as the next
};

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

  /// The M-step. `counts`: of all cells. `prior` 0: each row's counts divided by their sum. Above
  /// 0: the variational posterior under a symmetric Dirichlet prior over the cells of a row,
  /// exp(digamma(count + prior)) / exp(digamma(sum of these)), which sums to less than 1 (Johnson
  /// 2007, "Why Doesn't EM Find Good HMM POS-Taggers?", section 3).
  void set_probabilities(std::span<const FixedCount> counts, double prior);

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
