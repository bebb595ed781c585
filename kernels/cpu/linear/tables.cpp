// The kernels of packed layers of each instruction set, and the best of them.
#include "kernels/cpu/instruction_sets.h"
#include "kernels/packed_linear.h"

namespace dietmt::kernels {

namespace generic {
extern const LinearKernels kLinear;
}
namespace avx2 {
extern const LinearKernels kLinear;
}
namespace avx2_vnni {
extern const LinearKernels kLinear;
}
namespace avx512 {
extern const LinearKernels kLinear;
}
namespace avx512_vnni {
extern const LinearKernels kLinear;
}
namespace avx512_bf16 {
extern const LinearKernels kLinear;
}
namespace avx512_amx {
extern const LinearKernels kLinear;
}

std::span<const LinearKernels* const> linear_tables() {
  static constexpr const LinearKernels* kTables[] = {
      &generic::kLinear,     &avx2::kLinear,        &avx2_vnni::kLinear, &avx512::kLinear,
      &avx512_vnni::kLinear, &avx512_bf16::kLinear, &avx512_amx::kLinear};
  return kTables;
}

const LinearKernels& linear_kernels() {
  static const LinearKernels& best = best_table(linear_tables());
  return best;
}

}  // namespace dietmt::kernels
