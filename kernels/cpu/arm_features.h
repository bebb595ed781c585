// What an Arm64 processor can, as the system says.
#pragma once

namespace dietmt::kernels {

struct ArmFeatures {
  bool dot_products = false;
  bool matrices = false;  // of int8 and bf16
};

ArmFeatures arm_features();

}  // namespace dietmt::kernels
