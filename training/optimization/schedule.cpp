#include "training/optimization/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "common/error.h"

namespace dietmt::training {
namespace {

struct Named {
  const char* name;
  Schedule schedule;
};
constexpr std::array kSchedules{
    Named{"inverse-sqrt", Schedule::kInverseSqrt}, Named{"linear", Schedule::kLinear},
    Named{"cosine", Schedule::kCosine}, Named{"constant", Schedule::kConstant}};

}  // namespace

Schedule schedule_from_name(const std::string& name) {
  std::string known;
  for (const Named& entry : kSchedules) {
    if (name == entry.name) return entry.schedule;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw ConfigError("--schedule is '" + name + "'; possible: " + known);
}

std::string schedule_name(Schedule schedule) {
  return std::ranges::find(kSchedules, schedule, &Named::schedule)->name;
}

bool ends_at_total(Schedule schedule) {
  return schedule == Schedule::kLinear || schedule == Schedule::kCosine;
}

std::vector<std::string> ScheduleOptions::problems() const {
  std::vector<std::string> found;
  if (!(peak_lr > 0)) found.push_back("--learning-rate must be positive");
  const double most = peak_lr > 0 ? peak_lr : std::numeric_limits<double>::infinity();
  if (!(min_lr >= 0 && min_lr <= most)) {
    found.push_back("--min-lr must lie between 0 and --learning-rate");
  }
  if (!(warmup_init_lr >= 0 && warmup_init_lr <= most)) {
    found.push_back("--warmup-init-lr must lie between 0 and --learning-rate");
  }
  if (warmup_updates < 0) found.push_back("--warmup must not be negative");
  if (ends_at_total(schedule) && total_updates <= warmup_updates) {
    found.push_back("--schedule " + schedule_name(schedule) +
                    " ends at the last update: --max-updates must be above --warmup");
  }
  return found;
}

double learning_rate(const ScheduleOptions& options, int64_t update) {
  const auto warmup = static_cast<double>(options.warmup_updates);
  const auto now = static_cast<double>(update);
  if (now < warmup) {
    return options.warmup_init_lr + (options.peak_lr - options.warmup_init_lr) * now / warmup;
  }
  const double span = static_cast<double>(options.total_updates) - warmup;
  const double done = span > 0 ? std::min(1.0, (now - warmup) / span) : 1.0;
  const double range = options.peak_lr - options.min_lr;
  switch (options.schedule) {
    case Schedule::kInverseSqrt: {
      // Without warm-up the decay starts at the first update.
      const double decay = std::sqrt(std::max(warmup, 1.0) / std::max(now, 1.0));
      return std::max(options.min_lr, options.peak_lr * decay);
    }
    case Schedule::kLinear:
      return options.peak_lr - range * done;
    case Schedule::kCosine:
      return options.min_lr + range * 0.5 * (1.0 + std::cos(std::numbers::pi * done));
    case Schedule::kConstant:
      break;
  }
  return options.peak_lr;
}

double rate_of_update(const ScheduleOptions& options, int64_t update) {
  const bool falls_to_the_end = ends_at_total(options.schedule) && update > options.warmup_updates;
  return learning_rate(options, falls_to_the_end ? update - 1 : update);
}

}  // namespace dietmt::training
