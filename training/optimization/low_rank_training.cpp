#include "training/optimization/low_rank_training.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "encoders/ops/scopes.h"
#include "encoders/weights/adapter_file.h"
#include "storage/safetensors_file.h"
#include "training/optimization/freezing.h"

namespace dietmt::training {

using at::Tensor;

namespace {

int64_t rank_of(const Tensor& matrix) { return std::min(matrix.size(0), matrix.size(1)); }

// At the full rank of the matrix, the product could already change it freely.
void require_rank(int64_t rank, const std::string& name, const Tensor& matrix) {
  const int64_t most = rank_of(matrix);
  if (rank <= most) return;
  throw ConfigError("--lora-rank " + std::to_string(rank) + " is above the size of " + name + ", " +
                    storage::shape_text(matrix.sizes()) + ": use at most " + std::to_string(most) +
                    ", or leave out this matrix with --lora-on");
}

}  // namespace

std::set<std::string> low_rank_matrices(const torch::nn::Module& model,
                                        const LowRankOptions& options) {
  const auto parameters = model.named_parameters();
  std::vector<std::string> names;
  for (const auto& item : parameters)
    if (item.value().dim() == 2) names.push_back(item.key());
  const std::set<std::string> chosen = matching_names("--lora-on", names, options.patterns);
  const std::string smallest = *std::ranges::min_element(
      chosen, {}, [&](const std::string& name) { return rank_of(parameters[name]); });
  require_rank(options.rank, smallest, parameters[smallest]);
  return chosen;
}

LowRankTraining::LowRankTraining(torch::nn::Module& model, const LowRankOptions& options,
                                 uint64_t seed)
    : scale_(options.alpha / static_cast<double>(options.rank)) {
  const std::set<std::string> chosen = low_rank_matrices(model, options);
  const encoders::SeededDraws draws(seed);
  for (const auto& item : model.named_parameters()) {
    Tensor weight = item.value();
    base_[item.key()] = weight;
    if (!chosen.contains(item.key())) {
      weight.requires_grad_(false);
      continue;
    }
    const double deviation = 1.0 / std::sqrt(static_cast<double>(weight.size(1)));
    const Tensor a = torch::empty({options.rank, weight.size(1)}).normal_(0.0, deviation);
    const auto leaf = [&](const Tensor& x) { return x.to(weight.device()).requires_grad_(true); };
    base_[item.key()] = weight.detach().clone();
    matrices_.push_back(
        {weight,
         base_[item.key()],
         {item.key(), leaf(a), leaf(torch::zeros({weight.size(0), options.rank}))}});
  }
}

NamedTensors LowRankTraining::parameters() const {
  NamedTensors all;
  for (const Matrix& matrix : matrices_) {
    all.emplace_back(matrix.update.name + ".lora_a", matrix.update.a);
    all.emplace_back(matrix.update.name + ".lora_b", matrix.update.b);
  }
  return all;
}

void LowRankTraining::take_gradients() {
  const torch::NoGradGuard no_grad;
  for (Matrix& matrix : matrices_) {
    const Tensor gradient = matrix.weight.grad();
    if (!gradient.defined()) continue;
    matrix.update.a.mutable_grad() = at::mm(matrix.update.b.t(), gradient).mul_(scale_);
    matrix.update.b.mutable_grad() = at::mm(gradient, matrix.update.a.t()).mul_(scale_);
    matrix.weight.mutable_grad().reset();
  }
}

void LowRankTraining::merge() {
  const torch::NoGradGuard no_grad;
  for (Matrix& matrix : matrices_)
    matrix.weight.copy_(encoders::merged(matrix.base, matrix.update, scale_));
}

NamedTensors LowRankTraining::state() const {
  NamedTensors all = parameters();
  for (const Matrix& matrix : matrices_)
    all.emplace_back(matrix.update.name + ".base", matrix.base);
  return all;
}

void LowRankTraining::load_state(const std::map<std::string, Tensor>& state) {
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : this->state()) {
    const auto found = state.find(name);
    if (found == state.end() || found->second.sizes() != tensor.sizes())
      throw CheckpointError("tensor '" + name + "' is missing or has another shape");
    tensor.copy_(found->second);
  }
}

encoders::LowRankAdapter LowRankTraining::adapter() const {
  encoders::LowRankAdapter adapter{scale_, encoders::fingerprint(base_), {}};
  for (const Matrix& matrix : matrices_) adapter.updates.push_back(matrix.update);
  return adapter;
}

}  // namespace dietmt::training
