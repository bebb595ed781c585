#include "encoders/attention/contextual_positions.h"

#include <ATen/ATen.h>

namespace dietmt::encoders {

at::Tensor contextual_bias(const at::Tensor& content, const at::Tensor& hidden, const at::Tensor& q,
                           const at::Tensor& table) {
  at::Tensor gates = content.sigmoid();
  if (hidden.defined()) gates = gates.masked_fill(hidden, 0.0);
  const double last = static_cast<double>(table.size(1) - 1);
  const at::Tensor places = gates.flip(-1).cumsum(-1).flip(-1).clamp_max(last);
  const at::Tensor below = places.detach().floor();
  const at::Tensor above = places.detach().ceil();
  const at::Tensor products = at::matmul(q, table.to(q.scalar_type()).transpose(1, 2));
  const auto at_place = [&](const at::Tensor& place) {
    return products.to(content.scalar_type()).gather(-1, place.to(at::kLong));
  };
  const at::Tensor share = places - below;
  return at_place(above) * share + at_place(below) * (1.0 - share);
}

}  // namespace dietmt::encoders
