#include "training/parameters.h"

#include <torch/torch.h>

#include "common/error.h"
#include "training/safetensors.h"

namespace dietmt::training {

void load_parameters(torch::nn::Module& module, const std::filesystem::path& path) {
  auto tensors = load_safetensors(path);
  const torch::NoGradGuard no_grad;
  for (auto& item : module.named_parameters()) {
    const auto found = tensors.find(item.key());
    if (found == tensors.end())
      throw CheckpointError(path.string() + ": tensor '" + item.key() + "' is missing");
    if (found->second.sizes() != item.value().sizes()) {
      throw CheckpointError(path.string() + ": tensor '" + item.key() + "' has shape " +
                            shape_text(found->second.sizes()) + ", the model's is " +
                            shape_text(item.value().sizes()));
    }
    item.value().copy_(found->second);
    tensors.erase(found);
  }
  if (!tensors.empty()) {
    throw CheckpointError(path.string() + ": tensor '" + tensors.begin()->first +
                          "' is not a parameter of the model in config.json");
  }
}

}  // namespace dietmt::training
