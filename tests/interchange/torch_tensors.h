// Tensors as torch.save writes them.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>

#include "tests/interchange/torch_bytes.h"

namespace dietmt::interchange {

enum class TorchFormat { kArchive, kOld };

inline std::string torch_file(const std::map<std::string, at::Tensor>& tensors,
                              TorchFormat format) {
  using namespace torch_bytes;
  const std::map<at::ScalarType, std::string> types = {{at::kFloat, "FloatStorage"},
                                                       {at::kHalf, "HalfStorage"},
                                                       {at::kBFloat16, "BFloat16Storage"},
                                                       {at::kLong, "LongStorage"}};
  std::vector<std::pair<std::string, std::string>> state;
  std::vector<OldStorage> storages;
  for (const auto& [name, value] : tensors) {
    const at::Tensor plain = value.contiguous();
    const std::string key = std::to_string(storages.size());
    state.emplace_back(name, tensor(storage(types.at(plain.scalar_type()), key, plain.numel()), 0,
                                    plain.sizes().vec(), plain.strides().vec()));
    storages.push_back({key,
                        static_cast<uint64_t>(plain.numel()),
                        {static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()}});
  }
  if (format == TorchFormat::kOld) return old_file(ordered_dict(state), storages);
  std::vector<std::pair<std::string, std::string>> entries;
  for (const OldStorage& storage : storages) entries.emplace_back(storage.key, storage.content);
  return archive(ordered_dict(state), entries);
}

}  // namespace dietmt::interchange
