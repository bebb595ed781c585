#include "encoders/weights/adapter_file.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/random.h"
#include "encoders/weights/safetensors.h"

namespace dietmt::encoders {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

constexpr const char* kBase = "base";
constexpr const char* kChecksum = "checksum";

uint64_t hashed(uint64_t hash, std::string_view bytes) {
  hash = random_key(hash, bytes.size());
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash = mix64(hash ^ word);
  }
  return hash;
}

uint64_t hashed(uint64_t hash, const Tensor& tensor) {
  const bool is_half = tensor.is_floating_point() && tensor.element_size() < 4;
  const Tensor whole =
      tensor.detach().to(at::kCPU, is_half ? at::kFloat : tensor.scalar_type()).contiguous();
  for (const int64_t size : whole.sizes()) hash = random_key(hash, static_cast<uint64_t>(size));
  return hashed(hash, {static_cast<const char*>(whole.const_data_ptr()), whole.nbytes()});
}

Tensor whole_number(int64_t value) { return at::scalar_tensor(value, at::kLong); }

// Takes a whole number out of the tensors of the file.
int64_t take(const fs::path& path, const char* name, std::map<std::string, Tensor>& tensors) {
  const auto found = tensors.find(name);
  if (found == tensors.end() || found->second.numel() != 1)
    throw CheckpointError(path.string() +
                          ": is not an adapter of dietmt train --lora-rank or --adapter-size");
  const auto value = found->second.item<int64_t>();
  tensors.erase(found);
  return value;
}

}  // namespace

int64_t fingerprint(const std::map<std::string, Tensor>& tensors) {
  uint64_t hash = 0;
  for (const auto& [name, tensor] : tensors) hash = hashed(hashed(hash, name), tensor);
  return static_cast<int64_t>(hash);
}

void save_adapter_file(const fs::path& path, const AdapterFile& adapter) {
  std::map<std::string, Tensor> tensors = adapter.tensors;
  tensors[kBase] = whole_number(adapter.base);
  tensors[kChecksum] = whole_number(fingerprint(tensors));
  save_safetensors(path, {tensors.begin(), tensors.end()});
}

AdapterFile load_adapter_file(const fs::path& path) {
  AdapterFile adapter{load_safetensors(path)};
  const int64_t checksum = take(path, kChecksum, adapter.tensors);
  if (checksum != fingerprint(adapter.tensors))
    throw CheckpointError(path.string() +
                          ": is damaged: its checksum does not fit its content; copy the file "
                          "from its checkpoint again");
  adapter.base = take(path, kBase, adapter.tensors);
  return adapter;
}

void require_base(const fs::path& path, const AdapterFile& adapter,
                  const std::map<std::string, Tensor>& weights) {
  if (fingerprint(weights) == adapter.base) return;
  throw CheckpointError(
      path.string() +
      ": was trained from another model than the one in its directory; put it into "
      "the directory of the model that --init-from named");
}

}  // namespace dietmt::encoders
