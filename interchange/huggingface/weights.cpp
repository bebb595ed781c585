#include "interchange/huggingface/weights.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string_view>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "encoders/weights/safetensors.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFiles[] = {storage::kSafetensorsFile, "pytorch_model.bin"};
constexpr const char* kIndex = ".index.json";  // appended to the name of the file

at::Tensor tensor_of(const TorchTensor& view) {
  const auto options = at::TensorOptions().dtype(encoders::scalar_type(std::string(view.dtype)));
  if (std::ranges::count(view.shape, 0) > 0) return at::empty(view.shape, options);
  return at::from_blob(
      const_cast<char*>(view.data), view.shape, view.strides, [storage = view.storage](void*) {},
      options);
}

/// A repository cloned without Git LFS has a few lines of text in place of large files.
void check_downloaded(const fs::path& path) {
  constexpr std::string_view kPointer = "version https://git-lfs.github.com/spec/";
  if (MappedFile(path).bytes().starts_with(kPointer))
    throw CheckpointError(path.string() +
                          ": is a pointer of Git LFS, not the weights; run 'git lfs pull' there");
}

TensorsByName torch_tensors(const fs::path& path, TorchContent content) {
  TensorsByName tensors;
  for (const auto& [name, view] : read_torch_file(path, content)) tensors[name] = tensor_of(view);
  return tensors;
}

TensorsByName load_file(const fs::path& path) {
  check_downloaded(path);
  if (path.extension() == ".safetensors") return encoders::map_safetensors(path);
  return torch_tensors(path, TorchContent::kTensors);
}

/// The file of each tensor.
std::map<std::string, std::string> read_index(const fs::path& path) {
  return read_json_as(path, [](const nlohmann::json& index) {
    std::map<std::string, std::string> files;
    for (const auto& [name, file] : object_field(index, "weight_map").items()) {
      if (!file.is_string() || !is_file_name(file))
        throw CheckpointError("tensor " + name + ": " + file.dump() +
                              " is not the name of a file in this directory");
      files[name] = file;
    }
    if (files.empty()) throw CheckpointError("weight_map is empty");
    return files;
  });
}

TensorsByName load_parts(const fs::path& index) {
  std::map<std::string, TensorsByName> parts;
  TensorsByName tensors;
  for (const auto& [name, file] : read_index(index)) {
    const fs::path path = index.parent_path() / file;
    if (!parts.contains(file)) {
      if (!fs::exists(path))
        throw CheckpointError(index.string() + ": tensor " + name + " is in " + file +
                              ", which does not exist");
      parts[file] = load_file(path);
    }
    const auto found = parts[file].find(name);
    if (found == parts[file].end())
      throw CheckpointError(path.string() + ": has no tensor " + name + ", which " +
                            index.filename().string() + " expects there");
    tensors[name] = found->second;
  }
  for (auto& [file, part] : parts) tensors.merge(part);  // tensors that the index does not list
  return tensors;
}

}  // namespace

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
}

TensorsByName load_weights(const fs::path& directory) {
  for (const std::string file : kFiles) {
    if (fs::exists(directory / file)) return load_file(directory / file);
    if (fs::exists(directory / (file + kIndex))) return load_parts(directory / (file + kIndex));
  }
  throw CheckpointError(directory.string() +
                        ": has no weights: neither model.safetensors nor pytorch_model.bin, nor "
                        "the .index.json of one of them");
}

TensorsByName load_checkpoint(const fs::path& file, TorchContent content) {
  check_downloaded(file);
  return torch_tensors(file, content);
}

}  // namespace dietmt::interchange
