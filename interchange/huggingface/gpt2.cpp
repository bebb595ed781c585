#include "interchange/huggingface/gpt2.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/weights.h"
#include "storage/safetensors_file.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

/// Larger numbers would only take memory.
constexpr int64_t kMostPositions = 1 << 20, kMostWidth = 1 << 16;

int64_t size_in(const nlohmann::json& description, const char* name, int64_t most) {
  int64_t size = 0;
  read_field(description, name, size);
  if (size < 1 || size > most)
    throw ConfigError(std::string(name) + " is " + std::to_string(size) +
                      "; it must be from 1 to " + std::to_string(most));
  return size;
}

encoders::StackConfig stack_config(const nlohmann::json& description) {
  if (!field_or(description, "scale_attn_weights", true))
    throw ConfigError("scale_attn_weights is false; the scores of dietmt are scaled");
  encoders::StackConfig config;
  config.layers = config.feed_forward = 1;
  config.width = size_in(description, "n_embd", kMostWidth);
  config.heads = size_in(description, "n_head", config.width);
  if (config.width % config.heads != 0)
    throw ConfigError("n_embd is " + std::to_string(config.width) + ", no multiple of n_head, " +
                      std::to_string(config.heads));
  config.max_positions = size_in(description, "n_positions", kMostPositions);
  config.norm = encoders::NormPlacement::kPre;
  config.norm_epsilon = field_or(description, "layer_norm_epsilon", 1e-5);
  config.position = "learned";
  return config;
}

class Gpt2Tensors {
 public:
  explicit Gpt2Tensors(const fs::path& directory) : tensors_(directory, load_weights(directory)) {}

  Tensor take(const std::string& name, at::IntArrayRef sizes) {
    const std::string full =
        tensors_.contains("transformer." + name) ? "transformer." + name : name;
    const Tensor tensor = tensors_.take(full);
    if (tensor.sizes() != sizes)
      tensors_.fail("tensor " + full + " has the shape " + storage::shape_text(tensor.sizes()) +
                    ", but config.json says " + storage::shape_text(sizes));
    return tensor;
  }

 private:
  ForeignTensors tensors_;
};

}  // namespace

Gpt2Start import_gpt2_start(const fs::path& directory) {
  const fs::path file = directory / kTransformersConfig;
  const nlohmann::json description = read_json_object(file);
  Gpt2Start start;
  int64_t vocabulary = 0;
  try {
    start.config = stack_config(description);
    vocabulary = size_in(description, "vocab_size", int64_t{1} << 31);
    start.end_piece = field_or<int64_t>(description, "eos_token_id", vocabulary - 1);
  } catch (const std::exception& error) {
    throw CheckpointError(file.string() + ": " + json_problem(error));
  }
  const int64_t width = start.config.width;
  Gpt2Tensors tensors(directory);
  const TensorsByName values = {
      {"position.learned.table", tensors.take("wpe.weight", {start.config.max_positions, width})},
      {"layer0.self_residual.norm.weight", tensors.take("h.0.ln_1.weight", {width})},
      {"layer0.self_residual.norm.bias", tensors.take("h.0.ln_1.bias", {width})},
      {"layer0.self_attention.input_weight",
       tensors.take("h.0.attn.c_attn.weight", {width, 3 * width}).t()},
      {"layer0.self_attention.input_bias", tensors.take("h.0.attn.c_attn.bias", {3 * width})}};
  start.pieces = tensors.take("wte.weight", {vocabulary, width});
  start.stack = std::make_shared<encoders::EncoderStack>(start.config);
  const torch::NoGradGuard no_grad;
  auto parameters = start.stack->named_parameters();
  for (const auto& [name, value] : values) parameters[name].copy_(value);
  start.stack->eval();
  return start;
}

}  // namespace dietmt::interchange
