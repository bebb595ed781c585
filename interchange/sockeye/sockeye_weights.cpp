#include "interchange/sockeye/sockeye_weights.h"

#include <ATen/ATen.h>

#include <string>
#include <string_view>

#include "common/error.h"
#include "interchange/huggingface/weights.h"
#include "storage/safetensors_file.h"

namespace dietmt::interchange {
namespace {

using at::Tensor;

constexpr std::string_view kSelfInput = "self_attention.ff_in.weight";
constexpr std::string_view kCrossMemory = "enc_attention.ff_kv.weight";

bool is_copy(const std::string& name) {
  return name.find("traced") != name.npos || name.find("cached") != name.npos;
}

std::string with_common_name(std::string name) {
  constexpr std::string_view kFirst = "autoregr_layer.", kCommon = "self_attention.";
  if (const size_t at = name.find(kFirst); at != name.npos)
    name.replace(at, kFirst.size(), kCommon);
  return name;
}

class Parts {
 public:
  Parts(const std::filesystem::path& file, const nmt::ModelConfig& config)
      : file_(file), config_(config) {}

  /// Adds queries (if there are any), keys and values of a matrix [2D or 3D, D'].
  void add(const std::string& theirs, const Tensor& matrix, std::string_view ending,
           TensorsByName& parts) const {
    const int64_t width = config_.width, queries = ending == kSelfInput ? width : 0;
    if (matrix.dim() != 2 || matrix.size(0) != queries + 2 * width)
      throw CheckpointError(file_.string() + ": " + theirs + " has shape " +
                            storage::shape_text(matrix.sizes()) + "; model_size is " +
                            std::to_string(width));
    const std::string name = with_common_name(theirs);
    const std::string prefix = name.substr(0, name.size() - ending.size()) +
                               std::string(ending.substr(0, ending.rfind("ff_")));
    if (queries > 0) parts[prefix + "ff_q.weight"] = matrix.narrow(0, 0, queries);
    const Tensor by_head =
        matrix.narrow(0, queries, 2 * width)
            .reshape({config_.heads, 2, config_.width_of_heads(), matrix.size(1)});
    const char* names[] = {"ff_k.weight", "ff_v.weight"};
    for (int64_t i = 0; i < 2; ++i)
      parts[prefix + names[i]] = by_head.select(1, i).reshape({width, matrix.size(1)});
  }

 private:
  const std::filesystem::path& file_;
  const nmt::ModelConfig& config_;
};

}  // namespace

LayerNames sockeye_names(const nmt::ModelConfig& config) {
  const std::string place = config.norm == "pre" ? "pre_" : "post_";
  LayerNames names = {
      .encoder_layer = "encoder.layers.*.",
      .decoder_layer = "decoder.layers.*.",
      .first_layer = 0,
      .self_input = {"self_attention.ff_q.*", "self_attention.ff_k.*", "self_attention.ff_v.*"},
      .self_output = "self_attention.ff_out.*",
      .self_norm = place + "self_attention.layer_norm.*",
      .recurrence_input = {"self_attention.linear.*", "self_attention.forget_gate.*"},
      .recurrence_norm = place + "self_attention.layer_norm.*",
      .cross_query = "enc_attention.ff_q.*",
      .cross_memory = {"enc_attention.ff_k.*", "enc_attention.ff_v.*"},
      .cross_output = "enc_attention.ff_out.*",
      .cross_norm = place + "enc_attention.layer_norm.*",
      .feed_forward_inner = {"ff.ff1.*"},
      .feed_forward_outer = "ff.ff2.*",
      .feed_forward_norm = place + "ff.layer_norm.*",
      .final_norms = {"encoder.final_process.layer_norm.*", "decoder.final_process.layer_norm.*"},
      .weight = "weight",
      .bias = "bias",
      .scale = "weight",
      .shift = "bias"};
  if (config.activation == "swiglu") names.feed_forward_inner.emplace_back("ff.linear.*");
  return names;
}

TensorsByName load_sockeye_weights(const std::filesystem::path& file,
                                   const nmt::ModelConfig& config) {
  const Parts parts(file, config);
  TensorsByName renamed;
  for (const auto& [theirs, tensor] : load_checkpoint(file, TorchContent::kTensors)) {
    if (is_copy(theirs)) continue;
    const std::string name = with_common_name(theirs);
    if (name.ends_with(kSelfInput)) {
      parts.add(theirs, tensor, kSelfInput, renamed);
    } else if (name.ends_with(kCrossMemory)) {
      parts.add(theirs, tensor, kCrossMemory, renamed);
    } else {
      renamed[name] = tensor;
    }
  }
  return renamed;
}

}  // namespace dietmt::interchange
