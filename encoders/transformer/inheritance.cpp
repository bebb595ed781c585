#include "encoders/transformer/inheritance.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <optional>

namespace dietmt::encoders {
namespace {

using at::Tensor;

// The only dimension in which the shapes differ.
std::optional<int64_t> differing_dimension(const Tensor& a, const Tensor& b) {
  if (a.dim() != b.dim()) return std::nullopt;
  std::optional<int64_t> found;
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (a.size(d) == b.size(d)) continue;
    if (found) return std::nullopt;
    found = d;
  }
  return found;
}

// The rows of `table` where those of the shorter `trained` belong; undefined if they are not tables
// of so many positions, or offsets.
Tensor rows_for(const Tensor& table, int64_t positions, const Tensor& trained,
                int64_t trained_positions) {
  const std::optional<int64_t> d = differing_dimension(table, trained);
  if (!d || positions < trained_positions) return {};
  const int64_t rows = table.size(*d), trained_rows = trained.size(*d);
  if (rows == positions && trained_rows == trained_positions)
    return table.narrow(*d, 0, trained_rows);
  if (rows == 2 * positions - 1 && trained_rows == 2 * trained_positions - 1)
    return table.narrow(*d, positions - trained_positions, trained_rows);
  return {};
}

}  // namespace

Inheritance inherit(torch::nn::Module& heir, int64_t heir_positions,
                    const torch::nn::Module& trained, int64_t trained_positions) {
  const torch::NoGradGuard no_grad;
  Inheritance result;
  const auto present = trained.named_parameters();
  const auto parameters = heir.named_parameters();
  for (const auto& item : parameters) {
    Tensor parameter = item.value();
    const Tensor* found = present.find(item.key());
    if (found == nullptr) {
      result.drawn.push_back(item.key());
    } else if (found->sizes() == parameter.sizes()) {
      parameter.copy_(*found);
    } else if (Tensor rows = rows_for(parameter, heir_positions, *found, trained_positions);
               rows.defined()) {
      rows.copy_(*found);
      result.extended.push_back(item.key());
    } else {
      result.drawn.push_back(item.key());
    }
  }
  for (const auto& item : present)
    if (!parameters.contains(item.key())) result.dropped.push_back(item.key());
  return result;
}

}  // namespace dietmt::encoders
