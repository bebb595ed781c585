#include "encoders/attention/offset_band.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dietmt::encoders {
namespace {

/// out[.., r, j] = in[.., r, j - r + rows - 1]: in: [.., rows, rows + columns - 1], out: [.., rows,
/// columns]. In row-major order the index is (rows - 1) + r * (rows + columns - 2) + j: a view.
at::Tensor skew(const at::Tensor& in, int64_t columns) {
  const int64_t rows = in.size(-2);
  if (rows == 1) return in;
  const int64_t stride = rows + columns - 2;
  return in.flatten(-2)
      .narrow(-1, rows - 1, rows * stride)
      .unflatten(-1, {rows, stride})
      .narrow(-1, 0, columns);
}

/// The adjoint of skew: [.., rows, columns] -> [.., rows, rows + columns - 1], zeros elsewhere.
at::Tensor unskew(const at::Tensor& in) {
  const int64_t rows = in.size(-2);
  const int64_t columns = in.size(-1);
  return at::constant_pad_nd(at::constant_pad_nd(in, {0, rows - 2}).flatten(-2), {rows - 1, 1})
      .unflatten(-1, {rows, rows + columns - 1});
}

at::Tensor repeat_last_dim(const at::Tensor& column, int64_t times) {
  std::vector<int64_t> sizes(column.sizes().begin(), column.sizes().end());
  sizes.back() = times;
  return column.expand(sizes);
}

}  // namespace

OffsetBand::OffsetBand(const Extent& extent, int64_t entries)
    : queries_(extent.queries), keys_(extent.keys) {
  const int64_t clip = (entries - 1) / 2;
  const int64_t lowest = 1 - extent.queries;
  const int64_t highest = extent.keys - 1;
  const int64_t band_lowest = std::clamp(lowest, -clip, clip);
  const int64_t band_highest = std::clamp(highest, -clip, clip);
  first_ = band_lowest + clip;
  width_ = band_highest - band_lowest + 1;
  right_ = std::max<int64_t>(0, highest - band_highest);
  left_ = (highest - lowest + 1) - width_ - right_;
}

at::Tensor OffsetBand::band(const at::Tensor& table, int64_t dim) const {
  return table.narrow(dim, first_, width_);
}

at::Tensor OffsetBand::widen(const at::Tensor& by_offset) const {
  if (left_ == 0 && right_ == 0) return by_offset;
  return at::cat({repeat_last_dim(by_offset.narrow(-1, 0, 1), left_), by_offset,
                  repeat_last_dim(by_offset.narrow(-1, width_ - 1, 1), right_)},
                 -1);
}

at::Tensor OffsetBand::spread(const at::Tensor& by_offset) const {
  return queries_ == 1 ? widen(by_offset) : skew(widen(by_offset), keys_);
}

at::Tensor OffsetBand::spread_keys(const at::Tensor& by_offset) const {
  return skew(widen(by_offset).flip(-1), queries_).transpose(-1, -2);
}

at::Tensor OffsetBand::gather(const at::Tensor& pairs) const {
  const at::Tensor by_offset = queries_ == 1 ? pairs : unskew(pairs);  // [.., T, T + S - 1]
  if (left_ == 0 && right_ == 0) return by_offset;
  if (width_ == 1) return by_offset.sum(-1, /*keepdim=*/true);
  return at::cat({by_offset.narrow(-1, 0, left_ + 1).sum(-1, /*keepdim=*/true),
                  by_offset.narrow(-1, left_ + 1, width_ - 2),
                  by_offset.narrow(-1, left_ + width_ - 1, right_ + 1).sum(-1, /*keepdim=*/true)},
                 -1);
}

}  // namespace dietmt::encoders
