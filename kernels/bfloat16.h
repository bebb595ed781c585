// Numbers with the upper half of an fp32 number's bits.
#pragma once

#include <cstdint>

namespace dietmt::kernels {

struct BFloat16 {
  uint16_t bits;
};

}  // namespace dietmt::kernels
