// A copy of a device's numbers that the host reads later, when the device is busy with the next
// step.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>

namespace dietmt::nmt {

class DelayedRead {
 public:
  /// Enqueues the copy, through pinned memory, after all work enqueued so far.
  explicit DelayedRead(const at::Tensor& numbers);

  /// Waits for the copy and returns it, on the CPU.
  const at::Tensor& wait();

 private:
  at::Tensor here_;
  std::optional<c10::Event> copied_;  // none on the CPU, where nothing is enqueued
};

}  // namespace dietmt::nmt
