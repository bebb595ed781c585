// The term of contextual positions (Golovneva et al. 2024; encoders/position/encodings/cope.h).
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::encoders {

/// q_i . e[c_ij], interpolated, with c_ij = min(sum of sigmoid(content_ik) over k = j .. i, P - 1).
/// content: [.., H, T, S], the scaled products; hidden: bool, broadcastable to it, true where a
/// query does not look, or undefined; q: [.., H, T, Dh]; table: [H|1, P, Dh]. Returns [.., H, T,
/// S].
at::Tensor contextual_bias(const at::Tensor& content, const at::Tensor& hidden, const at::Tensor& q,
                           const at::Tensor& table);

}  // namespace dietmt::encoders
