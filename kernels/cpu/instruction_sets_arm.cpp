#include "kernels/cpu/arm_features.h"
#include "kernels/cpu/instruction_sets.h"

namespace dietmt::kernels {

std::span<const InstructionSet> instruction_sets() {
  static const ArmFeatures features = arm_features();
  static const InstructionSet sets[] = {
      {"generic", true},
      {"neon_dot", features.dot_products},
      {"neon_i8mm", features.dot_products && features.matrices},
  };
  return sets;
}

}  // namespace dietmt::kernels
