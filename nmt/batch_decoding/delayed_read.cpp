#include "nmt/batch_decoding/delayed_read.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace dietmt::nmt {

DelayedRead::DelayedRead(const at::Tensor& numbers) {
  const at::Device device = numbers.device();
  if (device.is_cpu()) {
    here_ = numbers;
    return;
  }
  here_ = at::empty(numbers.sizes(), at::TensorOptions(numbers.dtype()).pinned_memory(true));
  here_.copy_(numbers, /*non_blocking=*/true);
  copied_.emplace(device.type());
  copied_->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

const at::Tensor& DelayedRead::wait() {
  if (copied_) copied_->synchronize();
  copied_.reset();
  return here_;
}

}  // namespace dietmt::nmt
