// The row-wise kernels of each instruction set, and the best of them.
#include "kernels/cpu/instruction_sets.h"
#include "kernels/rowwise.h"

namespace dietmt::kernels {

namespace generic {
extern const RowwiseKernels kRowwise;
}
namespace avx2 {
extern const RowwiseKernels kRowwise;
}
namespace avx512 {
extern const RowwiseKernels kRowwise;
}

std::span<const RowwiseKernels* const> row_tables() {
  static constexpr const RowwiseKernels* kTables[] = {&generic::kRowwise, &avx2::kRowwise,
                                                      &avx512::kRowwise};
  return kTables;
}

const RowwiseKernels& row_kernels() {
  static const RowwiseKernels& best = best_table(row_tables());
  return best;
}

}  // namespace dietmt::kernels
