#include "encoders/ops/scopes.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>

#include <mutex>

namespace dietmt::encoders {

Autocast::Autocast(c10::DeviceType device, bool enabled, WeightCopies* copies)
    : on_cpu_(enabled && device == c10::kCPU) {
  if (on_cpu_) {
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::set_autocast_dtype(device, at::kBFloat16);
  } else if (enabled) {
    if (copies != nullptr) copies->refresh();
    device_precision_.emplace(DevicePrecision{at::kBFloat16, copies});
  }
}

Autocast::~Autocast() {
  if (!on_cpu_) return;
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(c10::kCPU, false);
}

SeededDraws::SeededDraws(uint64_t seed) : generator_(at::detail::getDefaultCPUGenerator()) {
  const std::scoped_lock lock(generator_.mutex());
  state_ = generator_.get_state();
  generator_.set_current_seed(seed);
}

SeededDraws::~SeededDraws() {
  const std::scoped_lock lock(generator_.mutex());
  generator_.set_state(state_);
}

}  // namespace dietmt::encoders
