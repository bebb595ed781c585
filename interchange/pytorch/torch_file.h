// State dicts in files of PyTorch's torch.save, such as pytorch_model.bin, and in the checkpoints
// of PyTorch Lightning, which hold one beside much else: the ZIP archives that it writes since
// version 1.6, and the older files, a row of pickles and the bytes of all storages
// (torch/serialization.py). Reading such a file runs none of its code (pickle.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::interchange {

/// A view of a storage, which several tensors may share.
struct TorchTensor {
  std::string_view dtype;  // as safetensors names it: F64, F32, F16, BF16, I64, I32, I8, U8, BOOL
  std::vector<int64_t> shape, strides;  // strides count elements and are not negative
  const char* data = nullptr;           // first element, aligned; every element lies in `storage`
  std::shared_ptr<const std::string> storage;
};

/// Where the dictionary of tensors is.
enum class TorchContent {
  kTensors,    // it is the file's value
  kLightning,  // it is `state_dict` in the file's value; all else is skipped, classes too
};

/// The tensors of the dictionary in a file's bytes, which need not outlive them. Its other values
/// are left out. Never takes much more memory than the file has bytes. Throws CheckpointError with
/// the reason: damage, a class that is not one of a tensor, another byte order, a compressed
/// archive, which torch.save never writes, or no tensors.
std::map<std::string, TorchTensor> parse_torch_file(std::string_view bytes,
                                                    TorchContent content = TorchContent::kTensors);

/// The same from a file. Throws CheckpointError naming it.
std::map<std::string, TorchTensor> read_torch_file(const std::filesystem::path& path,
                                                   TorchContent content = TorchContent::kTensors);

}  // namespace dietmt::interchange
