#include "encoders/ops/scopes.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>

#include <mutex>

namespace dietmt::encoders {

Autocast::Autocast(c10::DeviceType device, bool enabled) : device_(device), enabled_(enabled) {
  if (!enabled_) return;
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, at::kBFloat16);
}

Autocast::~Autocast() {
  if (!enabled_) return;
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, false);
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
