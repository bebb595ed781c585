#include "interchange/marian/npz.h"

#include <ATen/ATen.h>

#include <cstring>
#include <string_view>

#include "common/error.h"
#include "common/files.h"
#include "interchange/marian/npz_archive.h"

namespace dietmt::interchange {
namespace {

at::ScalarType scalar_type(std::string_view name) {
  if (name == "<f4") return at::kFloat;
  if (name == "<f2") return at::kHalf;
  if (name == "<f8") return at::kDouble;
  if (name == "|u1") return at::kByte;
  return name == "|b1" ? at::kBool : at::kChar;
}

at::Tensor tensor_of(const NpyArray& array) {
  at::Tensor tensor = at::empty(array.shape, at::TensorOptions().dtype(scalar_type(array.type)));
  if (!array.data.empty())
    std::memcpy(tensor.mutable_data_ptr(), array.data.data(), array.data.size());
  return tensor;
}

}  // namespace

std::map<std::string, at::Tensor> load_npz(const std::filesystem::path& path) {
  const MappedFile file(path);
  std::map<std::string, at::Tensor> arrays;
  try {
    read_npz(file.bytes(), [&](const std::string& name, const NpyArray& array) {
      arrays[name] = tensor_of(array);
    });
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
  return arrays;
}

}  // namespace dietmt::interchange
