#include "encoders/ops/seeded_draws.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace dietmt::encoders {

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
