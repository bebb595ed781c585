// Compiled once for each element type (DIETMT_ELEMENT).
#include "kernels/cuda/device_launcher.cuh"
#include "kernels/cuda/rowwise/rowwise_cuda.h"
#include "kernels/cuda/rowwise/rowwise_driver.cuh"

namespace dietmt::kernels {

template <typename E, typename Arguments>
void launch_rows_on(const Arguments& arguments, void* stream) {
  DeviceLauncher launcher(stream);
  run_rows<E>(arguments, launcher);
}

template void launch_rows_on<DIETMT_ELEMENT>(const AddNormArguments&, void*);
template void launch_rows_on<DIETMT_ELEMENT>(const AddNormBackwardArguments&, void*);
template void launch_rows_on<DIETMT_ELEMENT>(const ActivateArguments&, void*);
template void launch_rows_on<DIETMT_ELEMENT>(const ActivateBackwardArguments&, void*);
template void launch_rows_on<DIETMT_ELEMENT>(const ColumnSumsArguments&, void*);
template void launch_rows_on<DIETMT_ELEMENT>(const EmbedArguments&, void*);
template void launch_rows_on<DIETMT_ELEMENT>(const EmbedBackwardArguments&, void*);
template void launch_rows_on<DIETMT_ELEMENT>(const CrossEntropyArguments&, void*);
template void launch_rows_on<DIETMT_ELEMENT>(const RotateArguments&, void*);

}  // namespace dietmt::kernels
