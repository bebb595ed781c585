#include "encoders/device/delayed_copy.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace dietmt::encoders {

DelayedCopy::DelayedCopy(const at::Tensor& values) : host_(values) {
  const c10::Device device = values.device();
  if (device.is_cpu()) return;
  host_ = at::empty(values.sizes(), values.options().device(at::kCPU).pinned_memory(true));
  host_.copy_(values, /*non_blocking=*/true);
  copied_.emplace(device.type());
  copied_->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

const at::Tensor& DelayedCopy::wait() const {
  if (copied_ && !copied_->query()) copied_->synchronize();
  return host_;
}

}  // namespace dietmt::encoders
