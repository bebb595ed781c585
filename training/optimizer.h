// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019) by LibTorch's fused step,
// gradient clipping, and an exponential moving average of the weights.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dietmt::training {

struct OptimizerOptions {
  std::string type = "adam";  // "adam": weight decay is added to the gradient; "adamw": decoupled
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double weight_decay = 0.0;  // not applied to vectors (biases, layer norm)
};

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

class Optimizer {
 public:
  Optimizer(const torch::nn::Module& model, const OptimizerOptions& options);

  void zero_gradients();

  /// Multiplies all gradients by `factor`, clips their global norm to `max_norm` (0: no clipping)
  /// and returns the norm before clipping.
  double scale_and_clip(double factor, double max_norm);

  /// One update from the gradients.
  void step(double learning_rate);

  /// State for a checkpoint, named "<parameter>.m", "<parameter>.v" and "step".
  NamedTensors state() const;
  void load_state(const std::map<std::string, at::Tensor>& state);

 private:
  /// Parameters that share one weight decay.
  struct Group {
    double weight_decay;
    std::vector<std::string> names;
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> first_moments;
    std::vector<at::Tensor> second_moments;
    std::vector<at::Tensor> steps;
  };

  OptimizerOptions options_;
  std::vector<Group> groups_;
};

/// average = decay * average + (1 - decay) * weights after every update (Polyak and Juditsky 1992).
class MovingAverage {
 public:
  MovingAverage(const torch::nn::Module& model, double decay);
  void update();
  const NamedTensors& weights() const { return average_; }
  void load(const std::map<std::string, at::Tensor>& weights);

 private:
  double decay_;
  std::vector<at::Tensor> parameters_;
  NamedTensors average_;
};

/// Exchanges the model's weights with `weights` while in scope; nothing if `weights` is nullptr.
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

}  // namespace dietmt::training
