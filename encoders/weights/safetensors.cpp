#include "encoders/weights/safetensors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"

namespace dietmt::encoders {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

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

// view_safetensors() accepts only these names.
at::ScalarType dtype_of(const std::string& name) {
  return std::ranges::find_if(kDtypes, [&](const Dtype& dtype) { return name == dtype.name; })
      ->type;
}

at::Tensor tensor_of(const storage::TensorView& view, const std::shared_ptr<const void>& file) {
  const auto options = at::TensorOptions().dtype(dtype_of(view.dtype));
  if (view.bytes == 0) return at::empty(view.shape, options);
  return at::from_blob(
      const_cast<char*>(view.data), view.shape, [file](void*) {}, options);
}

}  // namespace

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

std::map<std::string, at::Tensor> tensors_of(const storage::SafetensorsView& view) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& [name, tensor] : view.tensors) tensors[name] = tensor_of(tensor, view.file);
  return tensors;
}

std::map<std::string, at::Tensor> map_safetensors(const fs::path& path) {
  return tensors_of(storage::view_safetensors(path));
}

std::map<std::string, at::Tensor> load_safetensors(const fs::path& path) {
  std::map<std::string, at::Tensor> tensors = map_safetensors(path);
  for (auto& [name, tensor] : tensors) tensor = tensor.clone();
  return tensors;
}

std::map<std::string, at::Tensor> load_safetensors_directory(const fs::path& directory) {
  if (fs::exists(directory / storage::kSafetensorsFile))
    return load_safetensors(directory / storage::kSafetensorsFile);
  const fs::path index = directory / kSafetensorsIndex;
  if (!fs::exists(index))
    fail(directory,
         std::string("has neither ") + storage::kSafetensorsFile + " nor " + kSafetensorsIndex);
  const json parsed = read_json(index);
  std::set<std::string> parts;
  try {
    for (const auto& [name, file] : parsed.at("weight_map").items())
      parts.insert(file.get<std::string>());
  } catch (const std::exception& error) {
    fail(index, json_problem(error));
  }
  std::map<std::string, at::Tensor> tensors;
  for (const std::string& part : parts) tensors.merge(load_safetensors(directory / part));
  return tensors;
}

}  // namespace dietmt::encoders
