#include "encoders/ops/deterministic_sums.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <vector>

namespace dietmt::encoders {

using at::Tensor;

Tensor sums_by_index(const Tensor& rows, const Tensor& index, int64_t count) {
  std::vector<int64_t> sizes = rows.sizes().vec();
  sizes.front() = count;
  Tensor sums = at::zeros(sizes, rows.options());
  if (rows.is_cpu()) return sums.index_add_(0, index, rows);
  // `unsafe` leaves out the check of the indices, in which some versions of LibTorch wait.
  return at::_index_put_impl_(sums, {index}, rows, /*accumulate=*/true, /*unsafe=*/true);
}

Tensor gathered_columns(const Tensor& x, const Tensor& index) {
  const bool has_gradient = x.requires_grad() && at::GradMode::is_enabled();
  if (x.is_cpu() || !has_gradient) return x.gather(-1, index);
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = 1;
  const Tensor first = at::arange(0, x.numel(), x.size(-1), index.options()).view(sizes);
  return x.flatten().index({index + first});
}

}  // namespace dietmt::encoders
