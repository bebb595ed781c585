// The kernels of a decoding step of each instruction set, and the best of them.
#include "kernels/cpu/instruction_sets.h"
#include "kernels/step_attention.h"

namespace dietmt::kernels {

namespace generic {
extern const StepKernels kStep;
}
namespace avx2 {
extern const StepKernels kStep;
}
namespace avx512 {
extern const StepKernels kStep;
}

std::span<const StepKernels* const> step_tables() {
  static constexpr const StepKernels* kTables[] = {&generic::kStep, &avx2::kStep, &avx512::kStep};
  return kTables;
}

const StepKernels& step_kernels() {
  static const StepKernels& best = best_table(step_tables());
  return best;
}

}  // namespace dietmt::kernels
