#include "interchange/foreign_tensors.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <torch/types.h>

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

TensorsByName ForeignTensors::take_all(const std::vector<Correspondence>& rows) {
  TensorsByName values;
  for (const Correspondence& row : rows) {
    std::vector<Tensor> parts;
    for (const std::string& name : row.theirs) parts.push_back(take(name));
    try {
      values[row.ours] = at::cat(parts);
    } catch (const c10::Error&) {
      fail("the shapes of " + row.theirs.front() + " and its neighbours do not fit together");
    }
  }
  return values;
}

void ForeignTensors::warn_of_others() const {
  std::string names;
  for (const auto& [name, tensor] : tensors_)
    if (!taken_.contains(name)) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty())
    spdlog::warn("{}: tensors without a place in the model: {}", where_.string(), names);
}

void set_parameters(nmt::TranslationModel& model, const TensorsByName& values,
                    const std::filesystem::path& where) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model.named_parameters()) {
    const auto found = values.find(parameter.key());
    if (found == values.end())
      throw CheckpointError(where.string() + ": has nothing for parameter " + parameter.key());
    if (found->second.sizes() != parameter.value().sizes()) {
      throw CheckpointError(where.string() + ": what makes parameter " + parameter.key() +
                            " has shape " + storage::shape_text(found->second.sizes()) +
                            ", but by the configuration it is " +
                            storage::shape_text(parameter.value().sizes()));
    }
    parameter.value().copy_(found->second);
  }
}

}  // namespace dietmt::interchange
