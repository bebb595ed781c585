// Files of torch.save: an archive, the older sequence of pickles, whose first one is also read as a
// separate pickle, or a checkpoint of another program. Every element of a tensor must lie in
// its storage.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/error.h"
#include "interchange/pytorch/pickle.h"
#include "interchange/pytorch/torch_file.h"

namespace {

using namespace dietmt::interchange;

uint64_t element_bytes(std::string_view dtype) {
  if (dtype.ends_with("64")) return 8;
  if (dtype.ends_with("32")) return 4;
  return dtype.ends_with("16") ? 2 : 1;
}

// Reads the element at the highest address under the address sanitizer.
void touch_last(const TorchTensor& tensor) {
  static volatile char seen = 0;
  if (tensor.shape.size() != tensor.strides.size()) std::abort();
  uint64_t last = 0;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 0) return;
    last += static_cast<uint64_t>(tensor.shape[i] - 1) * static_cast<uint64_t>(tensor.strides[i]);
  }
  const uint64_t bytes = element_bytes(tensor.dtype);
  const char* const element = tensor.data + last * bytes;
  const char* const end = tensor.storage->data() + tensor.storage->size();
  if (tensor.data < tensor.storage->data() || element + bytes > end) std::abort();
  for (uint64_t i = 0; i < bytes; ++i) seen = static_cast<char>(seen ^ element[i]);
}

template <typename Read>
void try_to(Read read) {
  try {
    read();
  } catch (const dietmt::CheckpointError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const TorchContent content :
       {TorchContent::kTensors, TorchContent::kLightning, TorchContent::kFairseq,
        TorchContent::kOpennmt, TorchContent::kJoeynmt}) {
    try_to([&] {
      for (const auto& [name, tensor] : parse_torch_file(bytes, content)) touch_last(tensor);
    });
  }
  try_to([&] { parse_torch_values(bytes, {"cfg", "args", "vocab"}); });
  if (bytes.starts_with("\x80")) try_to([&] { const Pickle pickle(bytes); });
  return 0;
}
