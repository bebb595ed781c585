// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019) with LibTorch's fused step, the
// optimisers of parameter_rule.h, gradient clipping, and an exponential moving average of the
// weights.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "training/optimization/parameter_rule.h"

namespace dietmt::training {

struct OptimizerOptions {
  // "adam": weight decay is added to the gradient; "adamw": decoupled; "adafactor", "muon": see
  // parameter_rule.h
  std::string type = "adam";
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double weight_decay = 0.0;  // not applied to vectors (biases, layer norm)

  /// Numbers kept per weight. Muon keeps one for matrices, Adafactor a row and a column.
  double moments() const { return type == "adafactor" ? 0.0 : type == "muon" ? 1.0 : 2.0; }

  /// Whether processes can step parts of a matrix.
  bool works_in_parts() const { return type == "adam" || type == "adamw"; }
};

/// Elements begin .. begin + size - 1 of a tensor viewed as a vector.
struct Slice {
  int64_t begin = 0;
  int64_t size = 0;
  bool operator==(const Slice&) const = default;
};

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

class Optimizer {
 public:
  /// Assembles whole tensors from the slices of all processes; returns nothing on processes that do
  /// not need them.
  using Gather = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;

  /// Steps the parameters that require gradients; the others are frozen and have no state.
  /// `slices`: the part of each that this process steps, in the order of named_parameters(); empty:
  /// everything.
  Optimizer(const torch::nn::Module& model, const OptimizerOptions& options,
            std::vector<Slice> slices = {});

  /// Steps these tensors.
  Optimizer(const NamedTensors& parameters, const OptimizerOptions& options,
            std::vector<Slice> slices = {});

  void zero_gradients();

  /// Norm of all gradients together: an fp64 scalar on their device.
  at::Tensor gradient_norm() const;

  /// Multiplies the gradients by `factor` and clips them to the norm `max_norm` (0: no clipping),
  /// given their norm. Returns the norm after scaling and before clipping. On a device the next
  /// step() scales the gradients as it reads them, so that nothing waits for the norm.
  at::Tensor scale_and_clip(double factor, double max_norm, const at::Tensor& norm);
  at::Tensor scale_and_clip(double factor, double max_norm) {
    return scale_and_clip(factor, max_norm, gradient_norm());
  }

  /// One update from the gradients. On a device, weights and moments stay unchanged if the norm
  /// from scale_and_clip() is not finite.
  void step(double learning_rate);

  /// State for a checkpoint, named "<parameter>.m", "<parameter>.v" and "<parameter>.step", or as a
  /// ParameterRule names it. `gather` assembles slices into whole tensors; empty if it returns
  /// nothing.
  NamedTensors state(const Gather& gather = {}) const;
  void load_state(const std::map<std::string, at::Tensor>& state);

 private:
  /// Parameters with the same weight decay.
  struct Group {
    double weight_decay;
    std::vector<size_t> members;
  };

  /// What the next step does to gradients on a device: fp32 scalars.
  struct DeviceScaling {
    at::Tensor divisor;
    at::Tensor is_broken;  // 1: no update
  };

  void step_rules(double learning_rate);
  void count_steps();
  void step_adam(const Group& group, double learning_rate);

  // The part of a parameter-shaped tensor that this process steps.
  at::Tensor own(const at::Tensor& whole, size_t parameter) const;

  OptimizerOptions options_;
  std::vector<Slice> slices_;
  std::vector<Group> groups_;
  std::optional<DeviceScaling> scaling_;
  // By parameter:
  std::vector<std::unique_ptr<ParameterRule>> rules_;  // null: Adam, with the moments below
  std::vector<std::string> names_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> first_moments_;
  std::vector<at::Tensor> second_moments_;
  std::vector<at::Tensor> steps_;  // parameters with equal counts share a tensor
};

/// average = d * average + (1 - d) * weights after every update t = 1, 2, ... (Polyak and Juditsky
/// 1992). d = min(decay, (1 + t) / (10 + t)) soon forgets the initial weights.
class MovingAverage {
 public:
  MovingAverage(const torch::nn::Module& model, double decay);
  /// Call it after update `t`, counted from 1.
  void update(int64_t t);
  const NamedTensors& weights() const { return average_; }
  void load(const std::map<std::string, at::Tensor>& weights);

 private:
  double decay_;
  std::vector<at::Tensor> parameters_;
  NamedTensors average_;
};

/// Exchanges the model's weights with `weights` while in scope; does nothing if `weights` is null.
class WeightSwap {
 public:
  WeightSwap(torch::nn::Module& model, const NamedTensors* weights);
  ~WeightSwap();
  WeightSwap(const WeightSwap&) = delete;
  WeightSwap& operator=(const WeightSwap&) = delete;

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> saved_;
};

/// Square root of the sum of all squares of all tensors, an fp64 scalar on their device; 0 if there
/// are none. The CPU sums in fp64 over blocks of fp32 sums: a single fp32 sum over a large tensor
/// loses digits (0.2 % at 30 million elements), and clipping would depend on how gradients are cut
/// into tensors. Devices add in trees and take a few launches for all tensors.
at::Tensor vector_norm(const std::vector<at::Tensor>& tensors);

}  // namespace dietmt::training
