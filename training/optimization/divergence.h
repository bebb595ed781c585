// Detects training runs that have diverged.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace dietmt::training {

/// Watches the loss and the gradient norm of each update. The loss is smoothed over about 100
/// updates and counts as diverged when it exceeds both its first value and its best so far by 1
/// nat.
class DivergenceCheck {
 public:
  /// Throws Error naming the update if a value is not finite or the loss has diverged. `clip_norm`:
  /// the option, for the advice.
  void check(int64_t update, double loss, double gradient_norm, double clip_norm);

  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  double first_ = -1.0;
  double smoothed_ = 0.0;
  double best_ = 0.0;
};

}  // namespace dietmt::training
