// Runs a LibTorch operator for the counting device: its CPU kernel on the mirror.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace dietmt::counting {

/// A boxed kernel. Counts what CUDA would launch; throws if arguments are on several devices.
void run_on_mirror(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace dietmt::counting
