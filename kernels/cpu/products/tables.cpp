// The kernels of bf16 layouts of each instruction set, and the best of them.
#include "kernels/bf16_layouts.h"
#include "kernels/cpu/instruction_sets.h"

namespace dietmt::kernels {

namespace generic {
extern const LayoutKernels kLayouts;
}
namespace avx2 {
extern const LayoutKernels kLayouts;
}
namespace avx512 {
extern const LayoutKernels kLayouts;
}
namespace avx512_bf16 {
extern const LayoutKernels kLayouts;
}

std::span<const LayoutKernels* const> layout_tables() {
  static constexpr const LayoutKernels* kTables[] = {&generic::kLayouts, &avx2::kLayouts,
                                                     &avx512::kLayouts, &avx512_bf16::kLayouts};
  return kTables;
}

const LayoutKernels& layout_kernels() {
  static const LayoutKernels& best = best_table(layout_tables());
  return best;
}

}  // namespace dietmt::kernels
