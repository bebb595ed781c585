#include "training/optimization/divergence.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "common/error.h"
#include "common/json_fields.h"

namespace dietmt::training {
namespace {

constexpr double kDecay = 0.99;
constexpr double kToleratedRise = 1.0;  // nats per token

}  // namespace

void DivergenceCheck::check(int64_t update, double loss, double gradient_norm, double clip_norm) {
  const std::string where = "update " + std::to_string(update) + ": ";
  const std::string advice =
      std::string(
          "; training stops, earlier checkpoints are intact. Try a lower learning rate, a longer "
          "warm-up or ") +
      (clip_norm > 0.0 ? "a smaller --clip-norm" : "clipped gradients (--clip-norm 1)");
  if (!std::isfinite(loss)) throw Error(where + "the loss is not a finite number" + advice);
  if (!std::isfinite(gradient_norm))
    throw Error(where + "the gradient norm is not a finite number" + advice);
  if (first_ < 0.0) first_ = smoothed_ = best_ = loss;
  smoothed_ = kDecay * smoothed_ + (1.0 - kDecay) * loss;
  best_ = std::min(best_, smoothed_);
  if (smoothed_ > std::max(first_, best_) + kToleratedRise) {
    throw Error(where + "training has diverged: the mean loss rose to " +
                std::to_string(smoothed_) + " from " + std::to_string(best_) + advice);
  }
}

nlohmann::json DivergenceCheck::state() const {
  return {{"first", first_}, {"smoothed", smoothed_}, {"best", best_}};
}

void DivergenceCheck::restore(const nlohmann::json& state) {
  read_field(state, "first", first_);
  read_field(state, "smoothed", smoothed_);
  read_field(state, "best", best_);
}

}  // namespace dietmt::training
