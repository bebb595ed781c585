#include "encoders/ops/weight_copies.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace dietmt::encoders {
namespace {

using at::Tensor;

thread_local PassPrecision precision_of_thread;

/// "decoder.layer12.cross_attention.memory_weight" -> "decoder.layer.cross_attention.memory_weight"
std::string without_layer(const std::string& name) {
  constexpr std::string_view kLayer = "layer", kDigits = "0123456789";
  for (size_t found = name.find(kLayer); found != std::string::npos;
       found = name.find(kLayer, found + 1)) {
    const size_t begin = found + kLayer.size();
    const size_t end = std::min(name.find_first_not_of(kDigits, begin), name.size());
    if (end > begin) return name.substr(0, begin) + name.substr(end);
  }
  return name;
}

/// Rows that start at 16 bytes are fastest.
int64_t aligned(int64_t numbers) { return (numbers + 7) / 8 * 8; }

}  // namespace

WeightCopies::WeightCopies(const torch::nn::Module& module, at::ScalarType type) : type_(type) {
  std::vector<std::pair<std::string, Tensor>> weights;
  for (const auto& item : module.named_parameters())
    if (item.value().dim() == 1 || item.value().dim() == 2)
      weights.emplace_back(without_layer(item.key()), item.value());
  std::ranges::stable_sort(weights, {}, [](const auto& weight) { return weight.first; });
  for (const auto& [name, weight] : weights) {
    places_.emplace(weight.unsafeGetTensorImpl(), weights_.size());
    weights_.push_back(weight);
  }
}

void WeightCopies::refresh() {
  if (weights_.empty()) return;
  const torch::NoGradGuard no_gradients;
  if (copies_.empty() || copies_.front().device() != weights_.front().device()) {
    int64_t size = 0;
    for (const Tensor& weight : weights_) size += aligned(weight.numel());
    const Tensor buffer = at::empty({size}, weights_.front().options().dtype(type_));
    copies_.clear();
    targets_.clear();
    int64_t begin = 0;
    for (const Tensor& weight : weights_) {
      copies_.push_back(buffer.narrow(0, begin, weight.numel()).view(weight.sizes()));
      targets_.push_back(copies_.back().variable_data());
      begin += aligned(weight.numel());
    }
  }
  std::vector<Tensor> sources;
  for (const Tensor& weight : weights_) sources.push_back(weight.detach());
  at::_foreach_copy_(targets_, sources);
}

Tensor WeightCopies::find(const Tensor& weight) const {
  const auto found = places_.find(weight.unsafeGetTensorImpl());
  return found == places_.end() || copies_.empty() ? Tensor() : copies_[found->second];
}

Tensor WeightCopies::find_stacked(at::TensorList weights) const {
  const Tensor first = find(weights[0]);
  if (!first.defined()) return {};
  int64_t rows = 0;
  for (const Tensor& weight : weights) {
    const Tensor copy = find(weight);
    const bool next = copy.defined() && copy.sizes().slice(1) == first.sizes().slice(1) &&
                      copy.storage_offset() == first.storage_offset() + rows * first.stride(0);
    if (!next) return {};
    rows += copy.size(0);
  }
  std::vector<int64_t> sizes = first.sizes().vec();
  sizes.front() = rows;
  return first.as_strided(sizes, first.strides());
}

PassPrecision pass_precision() { return precision_of_thread; }

PassPrecisionScope::PassPrecisionScope(const PassPrecision& precision)
    : before_(std::exchange(precision_of_thread, precision)) {}

PassPrecisionScope::~PassPrecisionScope() { precision_of_thread = before_; }

Tensor in_pass_type(const Tensor& x) {
  return x.to(precision_of_thread.type.value_or(x.scalar_type()));
}

Tensor weight_in(at::ScalarType type, const Tensor& weight) {
  if (weight.scalar_type() == type) return weight.detach();
  const WeightCopies* const copies = precision_of_thread.copies;
  if (copies != nullptr && copies->type() == type)
    if (const Tensor copy = copies->find(weight); copy.defined()) return copy;
  return weight.detach().to(type);
}

Tensor stacked_weights_in(at::ScalarType type, at::TensorList weights) {
  if (weights.size() == 1) return weight_in(type, weights[0]);
  const WeightCopies* const copies = precision_of_thread.copies;
  if (copies != nullptr && copies->type() == type)
    if (const Tensor stacked = copies->find_stacked(weights); stacked.defined()) return stacked;
  std::vector<Tensor> parts;
  for (const Tensor& weight : weights) parts.push_back(weight_in(type, weight));
  return at::cat(parts);
}

}  // namespace dietmt::encoders
