// Numbers of a device that the host reads later, so that it does not wait for the device.
//
//   DelayedCopy loss(tensor);   // enqueues the copy and returns
//   ...                         // enqueue more work
//   loss.wait().item<double>()  // waits only if the device has not come that far
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>

namespace dietmt::encoders {

class DelayedCopy {
 public:
  /// Copies `values` as they are when the device has done the work enqueued so far. On the CPU
  /// there is no copy.
  explicit DelayedCopy(const at::Tensor& values);

  /// The values in host memory.
  const at::Tensor& wait() const;

 private:
  at::Tensor host_;
  std::optional<c10::Event> copied_;  // none on the CPU
};

}  // namespace dietmt::encoders
