#include "data/shortlist/cooccurrence.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace dietmt::data {
namespace {

std::vector<CellCount> merged(const std::vector<CellCount>& a, const std::vector<CellCount>& b) {
  std::vector<CellCount> sum;
  sum.reserve(a.size() + b.size());
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    if (left->key == right->key) {
      sum.push_back({left->key, left->count + right->count});
      ++left;
      ++right;
    } else {
      sum.push_back(left->key < right->key ? *left++ : *right++);
    }
  }
  sum.insert(sum.end(), left, a.end());
  sum.insert(sum.end(), right, b.end());
  return sum;
}

}  // namespace

void sort_and_add(std::vector<CellCount>& cells) {
  std::sort(cells.begin(), cells.end(),
            [](const CellCount& a, const CellCount& b) { return a.key < b.key; });
  size_t kept = 0;
  for (size_t from = 0; from < cells.size(); ++kept) {
    cells[kept] = cells[from];
    for (++from; from < cells.size() && cells[from].key == cells[kept].key; ++from)
      cells[kept].count += cells[from].count;
  }
  cells.resize(kept);
}

void CellCounter::add(std::vector<CellCount> run) {
  size_ += std::ssize(run);
  runs_.push_back(std::move(run));
  while (runs_.size() > 1 &&
         (runs_[runs_.size() - 2].size() < 2 * runs_.back().size() || size_ > largest_size_)) {
    merge_last_two();
  }
  if (size_ > largest_size_) prune(runs_.front());
}

std::vector<CellCount> CellCounter::finish() {
  while (runs_.size() > 1) merge_last_two();
  size_ = 0;
  return runs_.empty() ? std::vector<CellCount>() : std::exchange(runs_, {}).front();
}

void CellCounter::merge_last_two() {
  std::vector<CellCount>& first = runs_[runs_.size() - 2];
  std::vector<CellCount> sum = merged(first, runs_.back());
  size_ -= std::ssize(first) + std::ssize(runs_.back()) - std::ssize(sum);
  runs_.pop_back();
  runs_.back() = std::move(sum);
}

void CellCounter::prune(std::vector<CellCount>& run) {
  std::vector<FixedCount> counts;
  for (const CellCount& cell : run)
    if (cell.row() != kept_row_) counts.push_back(cell.count);
  const auto surplus = std::ssize(counts) - largest_size_ / 4 * 3;
  if (surplus <= 0) return;
  // Drops all of the equal counts at the limit, so that no place in the table is preferred.
  const auto limit = counts.begin() + surplus - 1;
  std::nth_element(counts.begin(), limit, counts.end());
  dropped_ += std::erase_if(
      run, [&](const CellCount& cell) { return cell.row() != kept_row_ && cell.count <= *limit; });
  size_ = std::ssize(run);
}

TranslationTable::TranslationTable(std::span<const CellCount> cells, int64_t source_vocabulary)
    : bounds_(static_cast<size_t>(source_vocabulary) + 2), probabilities_(cells.size()) {
  targets_.reserve(cells.size());
  for (const CellCount& cell : cells) {
    ++bounds_[static_cast<size_t>(cell.row()) + 1];
    targets_.push_back(cell.target());
  }
  for (size_t row = 1; row < bounds_.size(); ++row) bounds_[row] += bounds_[row - 1];
}

int64_t TranslationTable::find(int32_t row, int32_t target) const {
  const std::span<const int32_t> ids = targets(row);
  const auto found = std::lower_bound(ids.begin(), ids.end(), target);
  if (found == ids.end() || *found != target) return -1;
  return bounds_[static_cast<size_t>(row)] + (found - ids.begin());
}

void TranslationTable::set_probabilities(std::span<const FixedCount> counts, double prior) {
  // So that the probabilities of a token are never all 0.
  constexpr float kSmallest = std::numeric_limits<float>::min();
  const auto weight = [prior](double count) {
    return prior > 0 ? std::exp(boost::math::digamma(count + prior)) : count;
  };
  for (size_t row = 0; row + 1 < bounds_.size(); ++row) {
    const auto begin = static_cast<size_t>(bounds_[row]);
    const auto end = static_cast<size_t>(bounds_[row + 1]);
    FixedCount sum = 0;
    for (size_t cell = begin; cell < end; ++cell) sum += counts[cell];
    const double total = weight(from_fixed(std::max<FixedCount>(sum, 1)) +
                                prior * static_cast<double>(end - begin - 1));
    for (size_t cell = begin; cell < end; ++cell)
      probabilities_[cell] = std::max(static_cast<float>(weight(from_fixed(counts[cell])) / total),
                                      prior > 0 ? kSmallest : 0);
  }
}

}  // namespace dietmt::data
