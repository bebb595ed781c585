// The learning rate as a function of the number of updates. All schedules rise linearly from
// `warmup_init_lr` to `peak_lr` over `warmup_updates`; then, with u the update, w the warm-up and
// U the total:
//
//   inverse-sqrt  peak * sqrt(w / u)      (Vaswani et al. 2017), as in fairseq
//   linear        from peak at w down to min at U
//   cosine        along half a cosine wave instead (Loshchilov and Hutter 2017)
//   constant      peak
//
// After the warm-up no schedule falls below `min_lr`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::training {

enum class Schedule { kInverseSqrt, kLinear, kCosine, kConstant };

/// "inverse-sqrt", "linear", "cosine" or "constant". Throws ConfigError for any other name.
Schedule schedule_from_name(const std::string& name);
std::string schedule_name(Schedule schedule);

/// Whether it falls until the last update: linear and cosine.
bool ends_at_total(Schedule schedule);

struct ScheduleOptions {
  Schedule schedule = Schedule::kInverseSqrt;
  double peak_lr = 5e-4;
  double min_lr = 0.0;
  double warmup_init_lr = 1e-7;
  int64_t warmup_updates = 4000;
  int64_t total_updates = 0;  ///< needed by linear and cosine

  /// All problems, one sentence each.
  std::vector<std::string> problems() const;
};

/// The rate at `update`. fairseq, and hence the published recipes, passes the number of *finished*
/// updates: its first step runs at warmup_init_lr.
double learning_rate(const ScheduleOptions& options, int64_t update);

/// The learning rate for a training run's update number `update`, from 1: learning_rate() there,
/// except that falling linear and cosine schedules use the previous update's rate, so that the last
/// update has a rate above the end value.
double rate_of_update(const ScheduleOptions& options, int64_t update);

}  // namespace dietmt::training
