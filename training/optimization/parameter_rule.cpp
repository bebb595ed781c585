#include "training/optimization/parameter_rule.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "training/optimization/freezing.h"
#include "training/optimization/low_rank_training.h"
#include "training/optimization/optimizer.h"

namespace dietmt::training {
namespace {

using at::Tensor;
using State = std::vector<std::pair<std::string, Tensor>>;

void decay(Tensor& parameter, double rate, double weight_decay) {
  if (weight_decay > 0.0 && parameter.dim() >= 2) parameter.mul_(1.0 - rate * weight_decay);
}

class Adafactor : public ParameterRule {
 public:
  Adafactor(const Tensor& parameter, double weight_decay)
      : weight_decay_(weight_decay), steps_(at::zeros({}, at::kFloat)) {
    const Tensor like = parameter.detach();
    if (like.dim() >= 2) {
      rows_ = at::zeros_like(like.flatten(1).select(1, 0));
      columns_ = at::zeros_like(like.flatten(1).select(0, 0));
    } else {
      squares_ = at::zeros_like(like);
    }
  }

  void step(Tensor& parameter, const Tensor& gradient, double rate) override {
    steps_.add_(1.0);
    const double keep = 1.0 - std::pow(steps_.item<double>(), -0.8);
    const Tensor square = gradient * gradient + kSmallestSquare;
    Tensor update;
    if (rows_.defined()) {
      const Tensor flat = square.flatten(1);  // [O, I]
      rows_.mul_(keep).add_(flat.mean(1), 1.0 - keep);
      columns_.mul_(keep).add_(flat.mean(0), 1.0 - keep);
      const Tensor second = at::outer(rows_ / rows_.mean(), columns_);
      update = (gradient.flatten(1) / second.sqrt()).view_as(parameter);
    } else {
      squares_.mul_(keep).add_(square, 1.0 - keep);
      update = gradient / squares_.sqrt();
    }
    decay(parameter, rate, weight_decay_);
    add_limited(parameter, update, rate);
  }

  State state() const override {
    if (squares_.defined()) return {{"squares", squares_}, {"step", steps_}};
    return {{"rows", rows_}, {"columns", columns_}, {"step", steps_}};
  }

 private:
  static constexpr double kSmallestSquare = 1e-30;
  static constexpr double kLargestUpdate = 1.0;  // root mean square

  static void add_limited(Tensor& parameter, const Tensor& update, double rate) {
    const Tensor square = update.pow(2).mean();
    if (parameter.is_cpu()) {
      const double size = std::sqrt(square.item<double>());
      parameter.add_(update, -rate / std::max(1.0, size / kLargestUpdate));
    } else {  // without waiting for the size
      parameter.sub_(update * (rate / (square.sqrt() / kLargestUpdate).clamp_min(1.0)));
    }
  }

  double weight_decay_;
  Tensor steps_;
  Tensor rows_, columns_;  // [O], [I] of a matrix
  Tensor squares_;         // of a vector
};

class Muon : public ParameterRule {
 public:
  Muon(const Tensor& parameter, double weight_decay)
      : weight_decay_(weight_decay), momentum_(at::zeros_like(parameter.detach())) {}

  void step(Tensor& parameter, const Tensor& gradient, double rate) override {
    momentum_.mul_(kMomentum).add_(gradient);
    const Tensor ahead = gradient + kMomentum * momentum_;  // Nesterov's
    const auto longer = static_cast<double>(std::max(parameter.size(0), parameter.size(1)));
    decay(parameter, rate, weight_decay_);
    parameter.add_(orthogonal(ahead), -rate * 0.2 * std::sqrt(longer));
  }

  State state() const override { return {{"momentum", momentum_}}; }

 private:
  static constexpr double kMomentum = 0.95;

  double weight_decay_;
  Tensor momentum_;
};

}  // namespace

Tensor orthogonal(const Tensor& x) {
  const bool tall = x.size(0) > x.size(1);
  Tensor y = tall ? x.t() : x;
  y = y / (at::linalg_vector_norm(y) + 1e-7);
  for (int iteration = 0; iteration < 5; ++iteration) {
    const Tensor square = at::mm(y, y.t());
    y = 3.4445 * y + at::mm(-4.7750 * square + 2.0315 * at::mm(square, square), y);
  }
  return tall ? y.t() : y;
}

std::unique_ptr<ParameterRule> parameter_rule(const OptimizerOptions& options,
                                              const std::string& name, const Tensor& parameter) {
  if (options.type == "adafactor")
    return std::make_unique<Adafactor>(parameter, options.weight_decay);
  if (options.type == "muon" && parameter.dim() == 2 &&
      matches_any(name, LowRankOptions().patterns))
    return std::make_unique<Muon>(parameter, options.weight_decay);
  return nullptr;
}

}  // namespace dietmt::training
