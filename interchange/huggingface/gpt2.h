// GPT-2 (Radford et al. 2019) of Hugging Face's transformers, as far as its positions act on the
// first layer's scores. There is no decoder-only model here; this is for inspection.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "encoders/transformer/layers.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::interchange {

struct Gpt2Start {
  encoders::StackConfig config;
  /// One pre-norm layer. Only its learned positions, the norm before attention and the projection
  /// to queries, keys and values are the model's.
  std::shared_ptr<encoders::EncoderStack> stack;
  at::Tensor pieces;      // embeddings: [V, D]
  int64_t end_piece = 0;  // the only one that is not text
};

inline constexpr const char* kGpt2 = "gpt2";  // model_type

/// Reads config.json and the weights (weights.h), with or without the prefix "transformer.". Throws
/// CheckpointError naming the file and the field or tensor at fault.
Gpt2Start import_gpt2_start(const std::filesystem::path& directory);

}  // namespace dietmt::interchange
