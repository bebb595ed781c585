#include "encoders/ops/scopes.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace dietmt::encoders {

MixedPrecision::MixedPrecision(bool enabled, WeightCopies* copies) {
  if (!enabled) return;
  if (copies != nullptr) copies->refresh();
  scope_.emplace(PassPrecision{at::kBFloat16, copies});
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
