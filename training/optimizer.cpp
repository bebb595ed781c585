#include "training/optimizer.h"

#include <torch/torch.h>

#include "common/error.h"

namespace dietmt::training {
namespace {

using at::Tensor;

const Tensor& find(const std::map<std::string, Tensor>& state, const std::string& name,
                   const Tensor& like) {
  const auto found = state.find(name);
  if (found == state.end()) throw CheckpointError("tensor '" + name + "' is missing");
  if (found->second.sizes() != like.sizes())
    throw CheckpointError("tensor '" + name + "' has another shape than the model's");
  return found->second;
}

}  // namespace

Optimizer::Optimizer(const torch::nn::Module& model, const OptimizerOptions& options)
    : options_(options) {
  groups_.push_back({options.weight_decay, {}, {}, {}, {}, {}});
  groups_.push_back({0.0, {}, {}, {}, {}, {}});
  for (const auto& item : model.named_parameters()) {
    const Tensor& parameter = item.value();
    Group& group = groups_[parameter.dim() >= 2 ? 0 : 1];
    group.names.push_back(item.key());
    group.parameters.push_back(parameter);
    group.first_moments.push_back(at::zeros_like(parameter));
    group.second_moments.push_back(at::zeros_like(parameter));
    group.steps.push_back(at::zeros({}, parameter.options().dtype(at::kFloat)));
  }
}

void Optimizer::zero_gradients() {
  for (Group& group : groups_)
    for (Tensor& parameter : group.parameters) parameter.mutable_grad().reset();
}

double Optimizer::scale_and_clip(double factor, double max_norm) {
  std::vector<Tensor> gradients;
  std::vector<Tensor> norms;
  for (Group& group : groups_) {
    for (Tensor& parameter : group.parameters) {
      if (!parameter.grad().defined()) continue;
      gradients.push_back(parameter.mutable_grad());
      norms.push_back(at::linalg_vector_norm(gradients.back()).to(at::kFloat));
    }
  }
  if (gradients.empty()) return 0.0;
  const double norm = at::linalg_vector_norm(at::stack(norms)).item<double>() * factor;
  const double clip = max_norm > 0.0 && norm > max_norm ? max_norm / norm : 1.0;
  at::_foreach_mul_(gradients, factor * clip);
  return norm;
}

void Optimizer::step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  for (Group& group : groups_) {
    std::vector<Tensor> parameters, gradients, first, second, steps;
    for (size_t i = 0; i < group.parameters.size(); ++i) {
      if (!group.parameters[i].grad().defined()) continue;
      parameters.push_back(group.parameters[i]);
      gradients.push_back(group.parameters[i].grad());
      first.push_back(group.first_moments[i]);
      second.push_back(group.second_moments[i]);
      steps.push_back(group.steps[i]);
    }
    if (parameters.empty()) continue;
    at::_foreach_add_(steps, 1);
    using Fused = void(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                       at::TensorList, at::TensorList, double, double, double, double, double, bool,
                       bool, const std::optional<Tensor>&, const std::optional<Tensor>&);
    Fused* const fused = options_.type == "adamw" ? static_cast<Fused*>(at::_fused_adamw_)
                                                  : static_cast<Fused*>(at::_fused_adam_);
    fused(parameters, gradients, first, second, {}, steps, learning_rate, options_.beta1,
          options_.beta2, group.weight_decay, options_.epsilon, false, false, {}, {});
  }
}

NamedTensors Optimizer::state() const {
  NamedTensors all;
  for (const Group& group : groups_) {
    for (size_t i = 0; i < group.names.size(); ++i) {
      all.emplace_back(group.names[i] + ".m", group.first_moments[i]);
      all.emplace_back(group.names[i] + ".v", group.second_moments[i]);
      all.emplace_back(group.names[i] + ".step", group.steps[i]);
    }
  }
  return all;
}

void Optimizer::load_state(const std::map<std::string, Tensor>& state) {
  for (Group& group : groups_) {
    for (size_t i = 0; i < group.names.size(); ++i) {
      const std::string& name = group.names[i];
      group.first_moments[i].copy_(find(state, name + ".m", group.first_moments[i]));
      group.second_moments[i].copy_(find(state, name + ".v", group.second_moments[i]));
      group.steps[i].copy_(find(state, name + ".step", group.steps[i]));
    }
  }
}

MovingAverage::MovingAverage(const torch::nn::Module& model, double decay) : decay_(decay) {
  for (const auto& item : model.named_parameters()) {
    parameters_.push_back(item.value());
    average_.emplace_back(item.key(), item.value().detach().clone());
  }
}

void MovingAverage::update() {
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters_.size(); ++i)
    average_[i].second.lerp_(parameters_[i], 1.0 - decay_);
}

void MovingAverage::load(const std::map<std::string, Tensor>& weights) {
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : average_) tensor.copy_(find(weights, name, tensor));
}

WeightSwap::WeightSwap(torch::nn::Module& model, const NamedTensors* weights) {
  if (weights == nullptr) return;
  const torch::NoGradGuard no_grad;
  const auto parameters = model.named_parameters();
  for (const auto& [name, tensor] : *weights) {
    const Tensor& parameter = parameters[name];
    parameters_.push_back(parameter);
    saved_.push_back(parameter.detach().clone());
    parameter.copy_(tensor);
  }
}

WeightSwap::~WeightSwap() {
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i].copy_(saved_[i]);
}

}  // namespace dietmt::training
