#include "interchange/foreign_tensors.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <torch/types.h>

#include <algorithm>

#include "common/error.h"
#include "storage/safetensors_view.h"

namespace dietmt::interchange {

using at::Tensor;

ForeignTensors::ForeignTensors(std::filesystem::path where, TensorsByName tensors)
    : where_(std::move(where)), tensors_(std::move(tensors)) {}

void ForeignTensors::fail(const std::string& what) const {
  throw CheckpointError(where_.string() + ": " + what);
}

Tensor ForeignTensors::take(const std::string& name) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail("has no tensor " + name);
  taken_.insert(name);
  return found->second.to(at::kFloat);
}

Tensor ForeignTensors::take_first(const std::vector<std::string>& names) {
  Tensor first;
  for (const std::string& name : names)
    if (Tensor found = contains(name) ? take(name) : Tensor(); !first.defined()) first = found;
  return first.defined() ? first : take(names.front());
}

Tensor ForeignTensors::join(const Correspondence& row, const std::vector<Tensor>& parts) const {
  try {
    if (row.joining == Joining::kRows) return at::cat(parts).to(at::kFloat);
    return at::stack(parts).flip(1).unsqueeze(1).to(at::kFloat);
  } catch (const c10::Error&) {
    fail("the shapes of " + shortened(row.theirs) + " do not fit together");
  }
}

std::vector<Tensor> split(const Tensor& parameter, Joining joining, size_t count) {
  if (joining == Joining::kRows) return parameter.chunk(static_cast<int64_t>(count));
  return parameter.squeeze(1).flip(1).unbind();
}

TensorsByName ForeignTensors::take_all(const std::vector<Correspondence>& rows) {
  TensorsByName values;
  for (const Correspondence& row : rows) {
    std::vector<Tensor> parts;
    for (const std::string& name : row.theirs) parts.push_back(take(name));
    values[row.ours] = join(row, parts);
  }
  return values;
}

std::string shortened(const std::vector<std::string>& names) {
  constexpr size_t kShown = 6;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

void ForeignTensors::warn_of_others() const {
  std::vector<std::string> others;
  for (const auto& [name, tensor] : tensors_)
    if (!taken_.contains(name)) others.push_back(name);
  if (!others.empty())
    spdlog::warn("{}: the model has no place for these tensors: {}", where_.string(),
                 shortened(others));
}

void set_parameters(torch::nn::Module& model, const TensorsByName& values,
                    const std::filesystem::path& where) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model.named_parameters()) {
    const auto found = values.find(parameter.key());
    if (found == values.end())
      throw CheckpointError(where.string() + ": has no tensor for parameter " + parameter.key());
    if (found->second.sizes() != parameter.value().sizes()) {
      throw CheckpointError(where.string() + ": parameter " + parameter.key() + " has shape " +
                            storage::shape_text(found->second.sizes()) +
                            ", but the configuration says " +
                            storage::shape_text(parameter.value().sizes()));
    }
    parameter.value().copy_(found->second);
  }
}

}  // namespace dietmt::interchange
