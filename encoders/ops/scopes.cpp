#include "encoders/ops/scopes.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <limits>
#include <mutex>

namespace dietmt::encoders {
namespace {

bool are_subnormals_zeros() {
  const volatile float smallest = std::numeric_limits<float>::min();
  return smallest * 0.5f == 0.0f;
}

void flush_subnormals(bool flush) {
  at::parallel_for(0, at::get_num_threads(), 1,
                   [flush](int64_t, int64_t) { at::globalContext().setFlushDenormal(flush); });
}

}  // namespace

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

SubnormalsAsZeros::SubnormalsAsZeros() : before_(are_subnormals_zeros()) { flush_subnormals(true); }

SubnormalsAsZeros::~SubnormalsAsZeros() { flush_subnormals(before_); }

}  // namespace dietmt::encoders
