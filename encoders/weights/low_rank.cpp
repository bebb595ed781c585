#include "encoders/weights/low_rank.h"

#include <ATen/ATen.h>

#include <cstring>

#include "common/error.h"
#include "encoders/weights/adapter_file.h"

namespace dietmt::encoders {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

constexpr const char* kScale = "scale";
constexpr const char* kA = ".lora_a";
constexpr const char* kB = ".lora_b";

// Whether the two factors make an update of the weight.
bool fits(const Tensor& weight, const LowRankUpdate& update) {
  return weight.dim() == 2 && update.a.dim() == 2 && update.b.dim() == 2 &&
         update.a.size(0) == update.b.size(1) && weight.size(0) == update.b.size(0) &&
         weight.size(1) == update.a.size(1);
}

}  // namespace

Tensor merged(const Tensor& weight, const LowRankUpdate& update, double scale) {
  return at::addmm(weight, update.b, update.a, 1.0, scale);
}

void save_adapter(const fs::path& file, const LowRankAdapter& adapter) {
  AdapterFile saved{{{kScale, at::scalar_tensor(adapter.scale, at::kDouble)}}, adapter.base};
  for (const LowRankUpdate& update : adapter.updates) {
    saved.tensors[update.name + kA] = update.a;
    saved.tensors[update.name + kB] = update.b;
  }
  save_adapter_file(file, saved);
}

void merge_adapter(const fs::path& file, std::map<std::string, Tensor>& weights) {
  const AdapterFile adapter = load_adapter_file(file);
  require_base(file, adapter, weights);
  const auto tensor = [&](const std::string& name) -> const Tensor& {
    const auto found = adapter.tensors.find(name);
    if (found == adapter.tensors.end())
      throw CheckpointError(file.string() + ": tensor '" + name + "' is missing");
    return found->second;
  };
  const double scale = tensor(kScale).item<double>();
  for (const auto& [name, a] : adapter.tensors) {
    if (!name.ends_with(kA)) continue;
    const std::string parameter = name.substr(0, name.size() - std::strlen(kA));
    const LowRankUpdate update{parameter, a, tensor(parameter + kB)};
    const auto found = weights.find(parameter);
    if (found == weights.end() || !fits(found->second, update))
      throw CheckpointError(file.string() + ": the shapes of '" + parameter +
                            "' do not fit together");
    found->second = merged(found->second.to(at::kFloat), update, scale);
  }
}

}  // namespace dietmt::encoders
