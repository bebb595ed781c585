#include "encoders/weights/low_rank.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "common/error.h"
#include "common/random.h"
#include "encoders/weights/safetensors.h"

namespace dietmt::encoders {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

constexpr const char* kA = ".lora_a";
constexpr const char* kB = ".lora_b";

}  // namespace

Tensor merged(const Tensor& weight, const LowRankUpdate& update, double scale) {
  return at::addmm(weight, update.b, update.a, 1.0, scale);
}

int64_t fingerprint(const std::vector<Tensor>& tensors) {
  uint64_t hash = 0;
  for (const Tensor& tensor : tensors) {
    const Tensor whole = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
    const auto* bytes = static_cast<const char*>(whole.const_data_ptr());
    const size_t size = whole.nbytes();
    hash = random_key(hash, size);
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min(sizeof word, size - at));
      hash = mix64(hash ^ word);
    }
  }
  return static_cast<int64_t>(hash);
}

void save_adapter(const fs::path& file, const LowRankAdapter& adapter) {
  std::vector<std::pair<std::string, Tensor>> tensors = {
      {"scale", at::scalar_tensor(adapter.scale, at::kDouble)},
      {"base", at::scalar_tensor(adapter.base, at::kLong)}};
  for (const LowRankUpdate& update : adapter.updates) {
    tensors.emplace_back(update.name + kA, update.a);
    tensors.emplace_back(update.name + kB, update.b);
  }
  save_safetensors(file, tensors);
}

LowRankAdapter load_adapter(const fs::path& file) {
  const std::map<std::string, Tensor> tensors = load_safetensors(file);
  const auto scale = tensors.find("scale"), base = tensors.find("base");
  const auto fail = [&](const std::string& problem) -> void {
    throw CheckpointError(file.string() + ": " + problem);
  };
  if (scale == tensors.end() || base == tensors.end() || scale->second.numel() != 1 ||
      base->second.numel() != 1)
    fail("is not an adapter of dietmt train --lora-rank");
  LowRankAdapter adapter{scale->second.item<double>(), base->second.item<int64_t>(), {}};
  for (const auto& [name, a] : tensors) {
    if (!name.ends_with(kA)) continue;
    const std::string parameter = name.substr(0, name.size() - std::strlen(kA));
    const auto b = tensors.find(parameter + kB);
    if (b == tensors.end()) fail("tensor '" + parameter + kB + "' is missing");
    if (a.dim() != 2 || b->second.dim() != 2 || a.size(0) != b->second.size(1))
      fail("the shapes of '" + parameter + "' do not fit together");
    adapter.updates.push_back({parameter, a, b->second});
  }
  return adapter;
}

void merge_adapter(const fs::path& file, const std::function<Tensor(const std::string&)>& find,
                   const std::function<void(const std::string&, Tensor)>& replace) {
  const LowRankAdapter adapter = load_adapter(file);
  std::vector<Tensor> weights;
  for (const LowRankUpdate& update : adapter.updates) {
    weights.push_back(find(update.name));
    const Tensor& weight = weights.back();
    if (!weight.defined() || weight.dim() != 2 || weight.size(0) != update.b.size(0) ||
        weight.size(1) != update.a.size(1)) {
      throw CheckpointError(file.string() + ": the model beside it has no parameter '" +
                            update.name + "' of this size");
    }
  }
  if (fingerprint(weights) != adapter.base) {
    throw CheckpointError(file.string() +
                          ": was trained from another model than the one beside it");
  }
  for (size_t i = 0; i < weights.size(); ++i)
    replace(adapter.updates[i].name, merged(weights[i], adapter.updates[i], adapter.scale));
}

}  // namespace dietmt::encoders
