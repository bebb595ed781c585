// One place of a forward pass where dropout applies.
#pragma once

#include <cstdint>

namespace dietmt::encoders {

/// Probability and key (kernels/dropout.h) of the dropped elements. p = 0: none.
struct DropoutSite {
  double p = 0.0;
  uint64_t key = 0;
};

}  // namespace dietmt::encoders
