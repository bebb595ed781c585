// Compiled by `.ci/run macos`, never run so far.
#include <sys/sysctl.h>

#include "kernels/cpu/arm_features.h"

namespace dietmt::kernels {
namespace {

bool has(const char* name) {
  int value = 0;
  size_t size = sizeof value;
  return ::sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
}

}  // namespace

ArmFeatures arm_features() {
  return {.dot_products = has("hw.optional.arm.FEAT_DotProd"),
          .matrices = has("hw.optional.arm.FEAT_I8MM") && has("hw.optional.arm.FEAT_BF16")};
}

}  // namespace dietmt::kernels
