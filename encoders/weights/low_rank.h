// LoRA adapters (Hu et al. 2022): a small file of low-rank updates of some matrices of a model.
//
//   W = W0 + scale B A,  scale = alpha / R
//
// A file holds "<parameter>.lora_a" [R, I] and "<parameter>.lora_b" [O, R] for each updated
// parameter [O, I], "scale", and "base", which tells the weights W0 apart.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dietmt::encoders {

/// The file of a checkpoint with what `--lora-rank` has trained.
inline constexpr const char* kAdapterFile = "lora.adapter";

struct LowRankUpdate {
  std::string name;  // of the parameter
  at::Tensor a;      // [R, I]
  at::Tensor b;      // [O, R]
};

struct LowRankAdapter {
  double scale = 1.0;
  int64_t base = 0;  // fingerprint of the updated parameters without the updates
  std::vector<LowRankUpdate> updates;
};

/// W0 + scale B A.
at::Tensor merged(const at::Tensor& weight, const LowRankUpdate& update, double scale);

/// Equal for equal tensors in the same order.
int64_t fingerprint(const std::vector<at::Tensor>& tensors);

void save_adapter(const std::filesystem::path& file, const LowRankAdapter& adapter);

/// Throws CheckpointError naming the file if it is damaged or no adapter.
LowRankAdapter load_adapter(const std::filesystem::path& file);

/// Replaces weights by merged ones. `find` returns a weight by its name, or an undefined tensor;
/// `replace` puts the merged one in its place. Throws CheckpointError naming the file of the
/// adapter if a weight is missing or has another shape, or the weights are not those that it was
/// trained on.
void merge_adapter(const std::filesystem::path& file,
                   const std::function<at::Tensor(const std::string& name)>& find,
                   const std::function<void(const std::string& name, at::Tensor)>& replace);

}  // namespace dietmt::encoders
