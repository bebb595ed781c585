#include "encoders/weights/checkpoint_average.h"

#include <ATen/ATen.h>

#include "common/error.h"
#include "encoders/weights/safetensors.h"

namespace dietmt::encoders {
namespace fs = std::filesystem;
namespace {

constexpr const char* kWeights = "model.safetensors";

void require_same_names(const std::map<std::string, at::Tensor>& mean,
                        const std::map<std::string, at::Tensor>& next, const fs::path& path) {
  for (const auto& [name, tensor] : mean) {
    const auto found = next.find(name);
    if (found == next.end())
      throw CheckpointError(path.string() + ": tensor " + name + " is missing");
    if (found->second.sizes() != tensor.sizes()) {
      throw CheckpointError(path.string() + ": tensor " + name + " differs in shape");
    }
  }
  for (const auto& [name, tensor] : next) {
    if (!mean.contains(name)) {
      throw CheckpointError(path.string() + ": tensor " + name +
                            " is missing in other checkpoints");
    }
  }
}

}  // namespace

std::map<std::string, at::Tensor> average_weights(const std::vector<fs::path>& directories) {
  if (directories.empty()) throw CheckpointError("no checkpoints to average");
  std::map<std::string, at::Tensor> mean = load_safetensors(directories.front() / kWeights);
  std::map<std::string, at::ScalarType> dtypes;
  for (auto& [name, tensor] : mean) {
    dtypes[name] = tensor.scalar_type();
    if (tensor.is_floating_point()) tensor = tensor.to(at::kDouble);
  }
  for (size_t i = 1; i < directories.size(); ++i) {
    const fs::path path = directories[i] / kWeights;
    const std::map<std::string, at::Tensor> next = load_safetensors(path);
    require_same_names(mean, next, path);
    for (auto& [name, tensor] : mean) {
      if (tensor.is_floating_point()) tensor.add_(next.at(name).to(at::kDouble));
    }
  }
  for (auto& [name, tensor] : mean) {
    if (!tensor.is_floating_point()) continue;
    tensor = tensor.div_(static_cast<double>(directories.size())).to(dtypes.at(name));
  }
  return mean;
}

}  // namespace dietmt::encoders
