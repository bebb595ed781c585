// Reads state dicts from files written by PyTorch's torch.save, such as pytorch_model.bin, and from
// checkpoints of PyTorch Lightning, fairseq, OpenNMT-py and JoeyNMT, which hold one among other
// things. Supports the ZIP archives written since version 1.6 and the older files, a sequence of
// pickles followed by the bytes of all storages (torch/serialization.py). Reading such a file runs
// none of its code (pickle.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
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

/// Where the dictionary of tensors is. The rest of a checkpoint is skipped.
enum class TorchContent {
  kTensors,    // it is the file's value
  kLightning,  // it is `state_dict` in the file's value, which may name any classes
  kFairseq,    // it is `model` in the file's value
  kOpennmt,    // it is `model` in the file's value, and `generator`, whose names get this prefix
  kJoeynmt,    // it is `model_state` in the file's value
};

/// The tensors of the dictionary in a file's bytes, which need not outlive the call. Its other
/// values are left out. Memory stays close to the size of the file. Throws CheckpointError with the
/// reason: damage, a class other than a tensor's, another byte order, a compressed archive
/// (torch.save never writes one), or no tensors.
std::map<std::string, TorchTensor> parse_torch_file(std::string_view bytes,
                                                    TorchContent content = TorchContent::kTensors);

/// The options and vocabularies in a checkpoint's bytes: those of the file's values with these keys
/// that are there and not None, as plain_value() has them. Throws CheckpointError with the reason,
/// as parse_torch_file() does.
nlohmann::json parse_torch_values(std::string_view bytes, const std::vector<std::string>& keys);

/// Parses a file. Throws CheckpointError naming it.
std::map<std::string, TorchTensor> read_torch_file(const std::filesystem::path& path,
                                                   TorchContent content = TorchContent::kTensors);
nlohmann::json read_torch_values(const std::filesystem::path& path,
                                 const std::vector<std::string>& keys);

}  // namespace dietmt::interchange
