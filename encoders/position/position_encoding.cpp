#include "encoders/position/position_encoding.h"

#include <ATen/ATen.h>

#include <cstdint>

#include "common/error.h"

namespace dietmt::encoders {

at::Tensor PositionEncoding::embed(const at::Tensor& x, const at::Tensor&,
                                   const at::Tensor&) const {
  return x;
}

void PositionEncoding::lower(const Extent&, LayerTerms&) const {}

int64_t PositionEncoding::max_length() const { return INT64_MAX; }

void PositionEncoding::require_position(const char* name, int64_t last) const {
  if (last >= max_length())
    throw Error("position encoding '" + std::string(name) + "' has no position " +
                std::to_string(last) + ": it was built for sentences of up to " +
                std::to_string(max_length()) + " tokens");
}

}  // namespace dietmt::encoders
