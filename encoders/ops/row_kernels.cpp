#include "encoders/ops/row_kernels.h"

#include "encoders/device/device.h"
#include "kernels/rowwise.h"

namespace dietmt::encoders {

const kernels::DeviceKernels* row_kernels(const at::Tensor& x) {
  static const kernels::DeviceKernels on_cpu = {
      .add_norm = kernels::row_kernels().add_norm,
      .add_norm_backward = kernels::row_kernels().add_norm_backward,
      .activate = kernels::row_kernels().activate,
      .rotate = kernels::row_kernels().rotate};
  const at::ScalarType type = x.scalar_type();
  if (type != at::kFloat && type != at::kBFloat16 && (type != at::kHalf || x.is_cpu()))
    return nullptr;
  return x.is_cpu() ? &on_cpu : device_kernels(x.device());
}

}  // namespace dietmt::encoders
