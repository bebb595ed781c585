// Reads state dicts from files written by PyTorch's torch.save, such as pytorch_model.bin, and from
// checkpoints of PyTorch Lightning and fairseq, which hold one among other things. Supports the ZIP
// archives written since version 1.6 and the older files, a sequence of pickles followed by the
// bytes of all storages (torch/serialization.py). Reading such a file runs none of its code
// (pickle.h).
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

/// Where the dictionary of tensors is.
enum class TorchContent {
  kTensors,    // it is the file's value
  kLightning,  // it is `state_dict` in the file's value; the rest is skipped, including classes
  kFairseq,    // it is `model` in the file's value; the rest is skipped
};

/// The tensors of the dictionary in a file's bytes, which need not outlive the call. Its other
/// values are left out. Memory stays close to the size of the file. Throws CheckpointError with the
/// reason: damage, a class other than a tensor's, another byte order, a compressed archive
/// (torch.save never writes one), or no tensors.
std::map<std::string, TorchTensor> parse_torch_file(std::string_view bytes,
                                                    TorchContent content = TorchContent::kTensors);

/// The options in a fairseq checkpoint's bytes: the first of its values `cfg` and `args` that is
/// not None, as plain_value() has it. Throws CheckpointError with the reason, as parse_torch_file()
/// does.
nlohmann::json parse_fairseq_options(std::string_view bytes);

/// Parses a file. Throws CheckpointError naming it.
std::map<std::string, TorchTensor> read_torch_file(const std::filesystem::path& path,
                                                   TorchContent content = TorchContent::kTensors);
nlohmann::json read_fairseq_options(const std::filesystem::path& path);

}  // namespace dietmt::interchange
