#include "encoders/weights/parameters.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include "common/error.h"
#include "encoders/weights/safetensors.h"

namespace dietmt::encoders {

void load_parameters(torch::nn::Module& module, const std::filesystem::path& path) {
  auto tensors = load_safetensors(path);
  const torch::NoGradGuard no_grad;
  for (auto& item : module.named_parameters()) {
    const auto found = tensors.find(item.key());
    if (found == tensors.end())
      throw CheckpointError(path.string() + ": tensor '" + item.key() + "' is missing");
    if (found->second.sizes() != item.value().sizes()) {
      throw CheckpointError(path.string() + ": tensor '" + item.key() + "' has shape " +
                            storage::shape_text(found->second.sizes()) + ", the model's is " +
                            storage::shape_text(item.value().sizes()));
    }
    item.value().copy_(found->second);
    tensors.erase(found);
  }
  if (!tensors.empty()) {
    throw CheckpointError(path.string() + ": tensor '" + tensors.begin()->first +
                          "' is not a parameter of the model in config.json");
  }
}

}  // namespace dietmt::encoders
