#include "data/shortlist/translation_table.h"

#include <algorithm>

namespace dietmt::data {

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

void TranslationTable::set_probabilities(std::span<const FixedCount> counts) {
  for (size_t row = 0; row + 1 < bounds_.size(); ++row) {
    const auto begin = static_cast<size_t>(bounds_[row]);
    const auto end = static_cast<size_t>(bounds_[row + 1]);
    FixedCount sum = 0;
    for (size_t cell = begin; cell < end; ++cell) sum += counts[cell];
    const double total = static_cast<double>(std::max<FixedCount>(sum, 1));
    for (size_t cell = begin; cell < end; ++cell)
      probabilities_[cell] = static_cast<float>(static_cast<double>(counts[cell]) / total);
  }
}

}  // namespace dietmt::data
