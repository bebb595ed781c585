// LoRA adapters (Hu et al. 2022): a small file of low-rank updates of some matrices of a model.
//
//   W = W0 + scale B A,  scale = alpha / R
//
// A file (adapter_file.h) holds "<parameter>.lora_a" [R, I] and "<parameter>.lora_b" [O, R] for
// each updated parameter [O, I], and "scale".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
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
  int64_t base = 0;  // fingerprint() of all parameters without the updates
  std::vector<LowRankUpdate> updates;
};

/// W0 + scale B A.
at::Tensor merged(const at::Tensor& weight, const LowRankUpdate& update, double scale);

void save_adapter(const std::filesystem::path& file, const LowRankAdapter& adapter);

/// Replaces parameters of a model by merged ones; `weights` are all of them. Throws CheckpointError
/// naming the file of the adapter if it is damaged or the model is another than that it was trained
/// from.
void merge_adapter(const std::filesystem::path& file, std::map<std::string, at::Tensor>& weights);

}  // namespace dietmt::encoders
