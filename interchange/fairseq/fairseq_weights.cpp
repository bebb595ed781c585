#include "interchange/fairseq/fairseq_weights.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

namespace dietmt::interchange {
namespace {

using at::Tensor;

// The norms of a layer in the order in which they apply.
constexpr std::array kEncoderNorms = {"self_attn_layer_norm", "final_layer_norm"};
constexpr std::array kDecoderNorms = {"self_attn_layer_norm", "encoder_attn_layer_norm",
                                      "final_layer_norm"};

std::string with_named_norm(const std::string& name) {
  constexpr std::string_view kNumbered = ".layer_norms.";
  const size_t at = name.find(kNumbered);
  if (at == name.npos || at + kNumbered.size() + 1 >= name.size()) return name;
  const size_t place = at + kNumbered.size();
  const auto number = static_cast<size_t>(name[place] - '0');
  const bool is_decoder = name.starts_with("decoder.");
  if (number >= (is_decoder ? kDecoderNorms.size() : kEncoderNorms.size())) return name;
  const char* norm = is_decoder ? kDecoderNorms[number] : kEncoderNorms[number];
  return name.substr(0, at + 1) + norm + name.substr(place + 1);
}

/// Version 0.12 keeps the weights of encoder layers a second time, for PyTorch's fused layer, and
/// copies them when it loads a model: encoder.layers.0.fc1_weight is encoder.layers.0.fc1.weight.
bool is_copy(const std::string& name) {
  constexpr std::array kCopied = {"in_proj", "out_proj", "fc1", "fc2"};
  constexpr std::string_view kLayers = "encoder.layers.";
  if (!name.starts_with(kLayers)) return false;
  const std::string_view rest =
      std::string_view(name).substr(std::min(name.find('.', kLayers.size()), name.size() - 1) + 1);
  return std::ranges::any_of(kCopied, [&](const std::string copied) {
    return rest == copied + "_weight" || rest == copied + "_bias";
  });
}

}  // namespace

TensorsByName with_new_names(TensorsByName tensors) {
  constexpr std::string_view kJoined = "attn.in_proj_", kPrefix = "attn.";
  TensorsByName renamed;
  for (auto& [name, tensor] : tensors) {
    if (is_copy(name)) continue;
    const size_t at = name.rfind(kJoined);
    if (at == name.npos || tensor.dim() == 0 || tensor.size(0) % 3 != 0) {
      renamed[with_named_norm(name)] = tensor;
      continue;
    }
    const std::vector<Tensor> parts = tensor.chunk(3);
    for (size_t part = 0; part < parts.size(); ++part)
      renamed[name.substr(0, at + kPrefix.size()) + "qkv"[part] + "_proj." +
              name.substr(at + kJoined.size())] = parts[part];
  }
  return renamed;
}

void widen_feed_forward(const std::string& stack, int64_t width, TensorsByName& values) {
  for (auto& [name, value] : values) {
    if (!name.starts_with(stack + ".layer") || name.find(".feed_forward.") == name.npos) continue;
    const bool is_inner = name.find(".inner_") != name.npos;
    const bool is_bias = name.ends_with("bias");
    if (!is_inner && is_bias) continue;
    const int64_t missing = width - value.size(is_inner ? 0 : 1);
    if (missing <= 0) continue;
    value = is_inner && !is_bias ? at::constant_pad_nd(value, {0, 0, 0, missing})
                                 : at::constant_pad_nd(value, {0, missing});
  }
}

}  // namespace dietmt::interchange
