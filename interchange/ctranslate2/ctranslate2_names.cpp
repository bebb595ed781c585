#include "interchange/ctranslate2/ctranslate2_names.h"

#include "common/error.h"

namespace dietmt::interchange {
namespace {

enum Activation : int8_t { kRelu = 0, kGeluTanh = 1, kSwish = 2, kGelu = 3 };

}  // namespace

LayerNames ctranslate2_names(bool gated) {
  LayerNames names = {.encoder_layer = "encoder/layer_*/",
                      .decoder_layer = "decoder/layer_*/",
                      .first_layer = 0,
                      .self_input = {"self_attention/linear_0/*"},
                      .self_output = "self_attention/linear_1/*",
                      .self_norm = "self_attention/layer_norm/*",
                      .cross_query = "attention/linear_0/*",
                      .cross_memory = {"attention/linear_1/*"},
                      .cross_output = "attention/linear_2/*",
                      .cross_norm = "attention/layer_norm/*",
                      .feed_forward_inner = {"ffn/linear_0/*"},
                      .feed_forward_outer = "ffn/linear_1/*",
                      .feed_forward_norm = "ffn/layer_norm/*",
                      .final_norms = {"encoder/layer_norm/*", "decoder/layer_norm/*"},
                      .weight = "weight",
                      .bias = "bias",
                      .scale = "gamma",
                      .shift = "beta"};
  if (gated) names.feed_forward_inner.push_back("ffn/linear_0_noact/*");
  return names;
}

int8_t ctranslate2_activation(const std::string& name) {
  if (name == "relu") return kRelu;
  return name == "gelu" ? kGelu : kSwish;
}

std::string activation_of_ctranslate2(int64_t number, bool gated) {
  if (gated && number == kSwish) return "swiglu";
  if (number == kGeluTanh) return gated ? "geglu-tanh" : "gelu-tanh";
  if (!gated && number == kRelu) return "relu";
  if (!gated && number == kSwish) return "silu";
  if (!gated && number == kGelu) return "gelu";
  throw CheckpointError(std::string("has ") + (gated ? "gated " : "") + "activation number " +
                        std::to_string(number) +
                        "; relu, gelu, swish, gated swish and gated tanh gelu can be imported");
}

}  // namespace dietmt::interchange
