#include "training/optimization/optimizer.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <set>

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

constexpr int64_t kBlock = 1 << 15;

NamedTensors trained_parameters(const torch::nn::Module& model) {
  NamedTensors trained;
  for (const auto& item : model.named_parameters())
    if (item.value().requires_grad()) trained.emplace_back(item.key(), item.value());
  return trained;
}

/// Undoes a step on a device. The host does not know whether the step is broken, so the device
/// selects between the values before and after it.
class BrokenStepUndo {
 public:
  /// `is_broken`: undefined on the CPU, where nothing needs to be kept.
  BrokenStepUndo(Tensor is_broken, const Tensor& parameter, const ParameterRule& rule)
      : is_broken_(std::move(is_broken)) {
    if (!is_broken_.defined()) return;
    changed_.push_back(parameter);
    for (const auto& [name, tensor] : rule.state())
      if (!tensor.is_cpu()) changed_.push_back(tensor);
    for (const Tensor& tensor : changed_) before_.push_back(tensor.clone());
  }

  void restore() const {
    for (size_t i = 0; i < changed_.size(); ++i) {
      Tensor changed = changed_[i];
      at::where_out(changed, is_broken_, before_[i], changed);
    }
  }

 private:
  Tensor is_broken_;
  std::vector<Tensor> changed_;
  std::vector<Tensor> before_;
};

}  // namespace

Optimizer::Optimizer(const torch::nn::Module& model, const OptimizerOptions& options,
                     std::vector<Slice> slices)
    : Optimizer(trained_parameters(model), options, std::move(slices)) {}

Optimizer::Optimizer(const NamedTensors& parameters, const OptimizerOptions& options,
                     std::vector<Slice> slices)
    : options_(options),
      slices_(std::move(slices)),
      groups_({{options.weight_decay, {}}, {0.0, {}}}) {
  for (const auto& [name, parameter] : parameters) {
    const size_t index = parameters_.size();
    names_.push_back(name);
    parameters_.push_back(parameter);
    rules_.push_back(parameter_rule(options, name, parameter));
    if (rules_.back()) {
      for (auto* none : {&first_moments_, &second_moments_, &steps_}) none->emplace_back();
      continue;
    }
    groups_[parameter.dim() >= 2 ? 0 : 1].members.push_back(index);
    first_moments_.push_back(at::zeros_like(own(parameter.detach(), index)));
    second_moments_.push_back(at::zeros_like(first_moments_.back()));
    steps_.push_back(steps_.empty() || !steps_.front().defined()
                         ? at::zeros({}, parameter.options().dtype(at::kFloat))
                         : steps_.front());
  }
}

Tensor Optimizer::own(const Tensor& whole, size_t parameter) const {
  if (slices_.empty()) return whole;
  const Slice& slice = slices_[parameter];
  return whole.view(-1).narrow(0, slice.begin, slice.size);
}

void Optimizer::zero_gradients() {
  for (Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

Tensor Optimizer::gradient_norm() const {
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : parameters_)
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  return vector_norm(gradients);
}

Tensor Optimizer::scale_and_clip(double factor, double max_norm, const Tensor& norm) {
  if (!norm.is_cpu()) {
    const Tensor scaled = norm * factor;
    Tensor divisor = at::empty_like(scaled, at::kFloat), is_broken = at::empty_like(divisor);
    if (max_norm > 0.0) {
      at::mul_out(divisor, scaled, at::scalar_tensor(1.0 / (max_norm * factor), at::kDouble));
      divisor.clamp_min_(1.0 / factor);
    } else {
      divisor.fill_(1.0 / factor);
    }
    at::ne_out(is_broken, scaled - scaled, 0);  // infinity and NaN give NaN, which is not 0
    scaling_ = DeviceScaling{divisor, is_broken};
    return scaled;
  }
  std::vector<Tensor> gradients;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].grad().defined()) gradients.push_back(own(parameters_[i].grad(), i));
  }
  if (gradients.empty()) return at::zeros({}, at::kDouble);
  const double scaled = norm.item<double>() * factor;
  const double clip = max_norm > 0.0 && scaled > max_norm ? max_norm / scaled : 1.0;
  at::_foreach_mul_(gradients, factor * clip);
  return at::scalar_tensor(scaled, at::kDouble);
}

void Optimizer::step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  step_rules(learning_rate);
  count_steps();
  for (const Group& group : groups_) step_adam(group, learning_rate);
  scaling_.reset();
}

void Optimizer::count_steps() {
  std::set<const void*> of_others;  // which have no gradient now
  for (size_t i = 0; i < steps_.size(); ++i)
    if (!parameters_[i].grad().defined()) of_others.insert(steps_[i].unsafeGetTensorImpl());
  std::map<const void*, Tensor> counts;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (!steps_[i].defined() || !parameters_[i].grad().defined()) continue;
    const void* const shared = steps_[i].unsafeGetTensorImpl();
    Tensor& count = counts[shared];
    if (!count.defined()) count = of_others.contains(shared) ? steps_[i].clone() : steps_[i];
    steps_[i] = count;
  }
  std::vector<Tensor> all;
  for (const auto& [shared, count] : counts) all.push_back(count);
  if (!all.empty()) at::_foreach_add_(all, 1);
}

void Optimizer::step_rules(double learning_rate) {
  std::vector<Tensor> gradients;
  for (size_t i = 0; i < rules_.size(); ++i)
    if (rules_[i] && parameters_[i].grad().defined()) gradients.push_back(parameters_[i].grad());
  if (scaling_ && !gradients.empty()) at::_foreach_div_(gradients, scaling_->divisor);
  const Tensor is_broken = scaling_ && !gradients.empty() ? scaling_->is_broken.ne(0) : Tensor();
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (!rules_[i] || !parameters_[i].grad().defined()) continue;
    const BrokenStepUndo undo(is_broken, parameters_[i], *rules_[i]);
    rules_[i]->step(parameters_[i], parameters_[i].grad(), learning_rate);
    undo.restore();
  }
}

void Optimizer::step_adam(const Group& group, double learning_rate) {
  std::vector<Tensor> parameters, gradients, first, second, steps;
  for (const size_t i : group.members) {
    if (!parameters_[i].grad().defined()) continue;
    parameters.push_back(own(parameters_[i], i));
    gradients.push_back(own(parameters_[i].grad(), i));
    first.push_back(first_moments_[i]);
    second.push_back(second_moments_[i]);
    steps.push_back(steps_[i]);
  }
  if (parameters.empty()) return;
  using Fused = void(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                     at::TensorList, double, double, double, double, double, bool, bool,
                     const std::optional<Tensor>&, const std::optional<Tensor>&);
  Fused* const fused = options_.type == "adam" ? static_cast<Fused*>(at::_fused_adam_)
                                               : static_cast<Fused*>(at::_fused_adamw_);
  std::optional<Tensor> divisor, is_broken;
  if (scaling_) {
    divisor = scaling_->divisor;
    is_broken = scaling_->is_broken;
  }
  fused(parameters, gradients, first, second, {}, steps, learning_rate, options_.beta1,
        options_.beta2, group.weight_decay, options_.epsilon, false, false, divisor, is_broken);
}

NamedTensors Optimizer::state(const Gather& gather) const {
  const std::vector<Tensor> first = gather ? gather(first_moments_) : first_moments_;
  const std::vector<Tensor> second = gather ? gather(second_moments_) : second_moments_;
  NamedTensors all;
  if (first.empty()) return all;
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (!rules_[i]) continue;
    for (const auto& [name, tensor] : rules_[i]->state())
      all.emplace_back(names_[i] + '.' + name, tensor);
  }
  for (const Group& group : groups_) {
    for (const size_t i : group.members) {
      all.emplace_back(names_[i] + ".m", first[i]);
      all.emplace_back(names_[i] + ".v", second[i]);
      all.emplace_back(names_[i] + ".step", steps_[i]);
    }
  }
  return all;
}

void Optimizer::load_state(const std::map<std::string, Tensor>& state) {
  std::map<float, Tensor> counts;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (rules_[i]) {
      for (auto& [name, tensor] : rules_[i]->state())
        tensor.copy_(find(state, names_[i] + '.' + name, tensor));
      continue;
    }
    first_moments_[i].copy_(own(find(state, names_[i] + ".m", parameters_[i]), i));
    second_moments_[i].copy_(own(find(state, names_[i] + ".v", parameters_[i]), i));
    const Tensor& saved = find(state, names_[i] + ".step", steps_[i]);
    Tensor& count = counts[saved.item<float>()];
    if (!count.defined()) count = saved.to(steps_[i].options(), false, true);
    steps_[i] = count;
  }
}

MovingAverage::MovingAverage(const torch::nn::Module& model, double decay) : decay_(decay) {
  for (const auto& item : model.named_parameters()) {
    parameters_.push_back(item.value());
    average_.emplace_back(item.key(), item.value().detach().clone());
  }
}

void MovingAverage::update(int64_t t) {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> averages;
  for (const auto& [name, average] : average_) averages.push_back(average);
  const auto updates = static_cast<double>(t);
  at::_foreach_lerp_(averages, parameters_,
                     1.0 - std::min(decay_, (1.0 + updates) / (10.0 + updates)));
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

Tensor vector_norm(const std::vector<Tensor>& tensors) {
  if (tensors.empty()) return at::zeros({}, at::kDouble);
  std::vector<Tensor> norms;
  if (!tensors.front().is_cpu()) {
    norms = at::_foreach_norm(tensors, 2, at::kFloat);
    return at::linalg_vector_norm(at::stack(norms), 2, {}, false, at::kDouble);
  }
  for (const Tensor& tensor : tensors) {
    const Tensor flat = tensor.reshape(-1);
    const int64_t blocks = flat.size(0) / kBlock;
    const Tensor whole = flat.narrow(0, 0, blocks * kBlock).view({blocks, kBlock});
    if (blocks > 0) norms.push_back(at::linalg_vector_norm(whole, 2, 1));
    const Tensor rest = flat.narrow(0, blocks * kBlock, flat.size(0) - blocks * kBlock);
    norms.push_back(at::linalg_vector_norm(rest, 2, 0, true));
  }
  return at::linalg_vector_norm(at::cat(norms).to(at::kDouble));
}

}  // namespace dietmt::training
