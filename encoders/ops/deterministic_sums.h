// Sums over rows that share an index, and reads whose gradients are such sums. Devices would add
// in any order, by atomics; here they sort first, so that every run has the same bits.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dietmt::encoders {

/// Row b is the sum of the rows i with index[i] = b. rows: [N, ...]; index: [N] int64, below
/// `count`. Returns [count, ...].
at::Tensor sums_by_index(const at::Tensor& rows, const at::Tensor& index, int64_t count);

/// x.gather(-1, index); x: [..., P]; index: [..., S] int64, with the same sizes before the last.
at::Tensor gathered_columns(const at::Tensor& x, const at::Tensor& index);

}  // namespace dietmt::encoders
