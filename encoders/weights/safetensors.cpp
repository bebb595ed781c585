#include "encoders/weights/safetensors.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "common/error.h"

namespace dietmt::encoders {

namespace fs = std::filesystem;
namespace {

struct Dtype {
  const char* name;
  at::ScalarType type;
};
constexpr std::array kDtypes{
    Dtype{"F64", at::kDouble},    Dtype{"F32", at::kFloat}, Dtype{"F16", at::kHalf},
    Dtype{"BF16", at::kBFloat16}, Dtype{"I64", at::kLong},  Dtype{"I32", at::kInt},
    Dtype{"I8", at::kChar},       Dtype{"U8", at::kByte},   Dtype{"BOOL", at::kBool}};

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw CheckpointError(path.string() + ": " + what);
}

const char* dtype_name(at::ScalarType type) {
  const auto* found = std::ranges::find(kDtypes, type, &Dtype::type);
  return found == kDtypes.end() ? nullptr : found->name;
}

at::Tensor tensor_of(const storage::TensorView& view, const std::shared_ptr<const void>& file) {
  const auto options = at::TensorOptions().dtype(scalar_type(view.dtype));
  if (view.bytes == 0) return at::empty(view.shape, options);
  at::Tensor tensor = at::from_blob(
      const_cast<char*>(view.data), view.shape, [file](void*) {}, options);
  const bool is_aligned = reinterpret_cast<uintptr_t>(view.data) % tensor.element_size() == 0;
  return is_aligned ? tensor : tensor.clone();
}

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

at::ScalarType scalar_type(const std::string& dtype) {
  return std::ranges::find_if(kDtypes, [&](const Dtype& known) { return dtype == known.name; })
      ->type;
}

void save_safetensors(const fs::path& path,
                      const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::vector<storage::TensorSource> sources;
  for (const auto& [name, tensor] : tensors) {
    const char* dtype = dtype_name(tensor.scalar_type());
    if (dtype == nullptr)
      fail(path, "tensor " + name + " has a dtype that safetensors cannot store");
    sources.push_back(
        {name, dtype, tensor.sizes().vec(), [&tensor = tensor](AtomicFile& file) {
           const at::Tensor plain = tensor.detach().cpu().contiguous();
           file.write({static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()});
         }});
  }
  storage::write_safetensors(path, std::move(sources), metadata);
}

std::map<std::string, at::Tensor> tensors_of(const storage::SafetensorsFile& view) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& [name, tensor] : view.tensors) tensors[name] = tensor_of(tensor, view.file);
  return tensors;
}

std::map<std::string, at::Tensor> map_safetensors(const fs::path& path) {
  return tensors_of(storage::open_safetensors(path));
}

std::map<std::string, at::Tensor> load_safetensors(const fs::path& path) {
  std::map<std::string, at::Tensor> tensors = map_safetensors(path);
  for (auto& [name, tensor] : tensors) tensor = tensor.clone();
  return tensors;
}

void set_parameters(torch::nn::Module& module, std::map<std::string, at::Tensor> tensors,
                    const fs::path& path) {
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

void load_parameters(torch::nn::Module& module, const fs::path& path) {
  set_parameters(module, map_safetensors(path), path);
}

std::map<std::string, at::Tensor> average_weights(const std::vector<fs::path>& directories) {
  if (directories.empty()) throw CheckpointError("no checkpoints to average");
  std::map<std::string, at::Tensor> mean =
      load_safetensors(directories.front() / storage::kSafetensorsFile);
  std::map<std::string, at::ScalarType> dtypes;
  for (auto& [name, tensor] : mean) {
    dtypes[name] = tensor.scalar_type();
    if (tensor.is_floating_point()) tensor = tensor.to(at::kDouble);
  }
  for (size_t i = 1; i < directories.size(); ++i) {
    const fs::path path = directories[i] / storage::kSafetensorsFile;
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
