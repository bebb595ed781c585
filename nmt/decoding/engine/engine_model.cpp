#include <torch/torch.h>

#include <cmath>
#include <map>
#include <string>

#include "common/error.h"
#include "encoders/transformer/stack_config.h"
#include "nmt/decoding/engine/aligned_buffer.h"
#include "nmt/decoding/engine/engine_model.h"
#include "nmt/decoding/engine/lower_positions.h"
#include "nmt/model/translation_model.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

kernels::LinearActivation activation_of(const std::string& name) {
  if (name == "relu") return kernels::LinearActivation::kRelu;
  if (name == "gelu") return kernels::LinearActivation::kGelu;
  if (name == "silu" || name == "swiglu") return kernels::LinearActivation::kSilu;
  throw ConfigError("the decoding engine knows no activation '" + name + "'");
}

// Reads parameters by their names and keeps what it packs.
class Packer {
 public:
  Packer(const TranslationModel& model, kernels::WeightType type, EngineWeights& packed)
      : type_(type), packed_(packed), gated_(model.config().activation == "swiglu") {
    activation_ = activation_of(model.config().activation);
    for (const auto& parameter : model.named_parameters())
      parameters_[parameter.key()] = parameter.value().detach().to(at::kFloat).contiguous();
  }

  bool has(const std::string& name) const { return parameters_.count(name) > 0; }

  const float* floats(const std::string& name) { return keep(parameters_.at(name)); }

  LinearWeights linear(const std::string& name, const std::string& bias = "") {
    const Tensor& weight = parameters_.at(name);
    return pack(weight, bias.empty() ? Tensor() : parameters_.at(bias));
  }

  NormWeights norm(const std::string& name) {
    return {floats(name + ".weight"), floats(name + ".bias"), encoders::kLayerNormEpsilon};
  }

  SelfAttentionWeights self_attention(const std::string& layer) {
    const std::string block = layer + ".self_attention.";
    return {linear(block + "input_weight", block + "input_bias"),
            linear(block + "output_weight", block + "output_bias"),
            norm(layer + ".self_residual.norm")};
  }

  CrossAttentionWeights cross_attention(const std::string& layer) {
    const std::string block = layer + ".cross_attention.";
    return {linear(block + "query_weight", block + "query_bias"),
            linear(block + "memory_weight", block + "memory_bias"),
            linear(block + "output_weight", block + "output_bias"),
            norm(layer + ".cross_residual.norm")};
  }

  FeedForwardWeights feed_forward(const std::string& layer) {
    const std::string block = layer + ".feed_forward.";
    FeedForwardWeights made;
    made.activation = activation_;
    made.outer = linear(block + "outer_weight", block + "outer_bias");
    made.norm = norm(layer + ".feed_forward_residual.norm");
    const Tensor& weight = parameters_.at(block + "inner_weight");
    const Tensor& bias = parameters_.at(block + "inner_bias");
    if (!gated_) {
      made.inner = pack(weight, bias);
      return made;
    }
    const int64_t width = weight.size(0) / 2;
    made.gate = pack(weight.narrow(0, 0, width), bias.narrow(0, 0, width));
    made.inner = pack(weight.narrow(0, width, width), bias.narrow(0, width, width));
    return made;
  }

 private:
  template <typename T>
  T* allocate(int64_t count) {
    auto buffer = std::make_shared<AlignedBuffer<T>>();
    T* data = buffer->grow(count, 0);
    packed_.storage.push_back(std::move(buffer));
    return data;
  }

  const float* keep(const Tensor& tensor) {
    packed_.storage.push_back(std::make_shared<Tensor>(tensor));
    return tensor.const_data_ptr<float>();
  }

  LinearWeights pack(const Tensor& weight, const Tensor& bias) {
    const int64_t outputs = weight.size(0);
    const int64_t inputs = weight.size(1);
    auto* panels =
        allocate<uint8_t>(static_cast<int64_t>(kernels::packed_bytes(type_, outputs, inputs)));
    const bool quantized = type_ == kernels::WeightType::kInt8;
    float* scales = quantized ? allocate<float>(outputs) : nullptr;
    int32_t* sums = quantized ? allocate<int32_t>(outputs) : nullptr;
    kernels::pack_weights(type_, outputs, inputs, weight.const_data_ptr<float>(), weight.stride(0),
                          panels, scales, sums);
    return {{type_, outputs, inputs, panels, scales, sums}, bias.defined() ? keep(bias) : nullptr};
  }

  kernels::WeightType type_;
  EngineWeights& packed_;
  bool gated_;
  kernels::LinearActivation activation_;
  std::map<std::string, Tensor> parameters_;
};

std::shared_ptr<const EngineWeights> pack_model(const TranslationModel& model,
                                                kernels::WeightType type) {
  const c10::InferenceMode inference;
  auto made = std::make_shared<EngineWeights>();
  EngineWeights& packed = *made;
  const ModelConfig& config = model.config();
  packed.width = config.width;
  packed.heads = config.heads;
  packed.feed_forward = config.feed_forward;
  packed.source_vocabulary = config.source_vocabulary;
  packed.target_vocabulary = config.target_vocabulary;
  packed.norm_first = config.norm == "pre";
  packed.embedding_scale = std::sqrt(static_cast<float>(config.width));

  Packer packer(model, type, packed);
  const std::string target =
      packer.has("target_embedding") ? "target_embedding" : "source_embedding";
  packed.source_embedding = packer.floats("source_embedding");
  packed.target_embedding = packer.floats(target);
  packed.output = packer.linear(packer.has("output_weight") ? "output_weight" : target,
                                config.output_bias ? "output_bias" : "");
  for (int64_t l = 0; l < config.encoder_layers; ++l) {
    const std::string layer = "encoder.layer" + std::to_string(l);
    packed.encoder.push_back({packer.self_attention(layer), packer.feed_forward(layer)});
  }
  for (int64_t l = 0; l < config.decoder_layers; ++l) {
    const std::string layer = "decoder.layer" + std::to_string(l);
    packed.decoder.push_back(
        {packer.self_attention(layer), packer.cross_attention(layer), packer.feed_forward(layer)});
  }
  if (packed.norm_first) {
    packed.encoder_norm = packer.norm("encoder.final_norm");
    packed.decoder_norm = packer.norm("decoder.final_norm");
  }
  return made;
}

}  // namespace

EngineModel make_engine_model(const TranslationModel& model, kernels::WeightType type) {
  const ModelConfig& config = model.config();
  const int64_t head_width = config.width / config.heads;
  PositionSizes sizes{config.width, config.heads, head_width};
  EngineModel made;
  made.weights = pack_model(model, type);
  made.encoder = lower_positions(model.encoder_position(), sizes);
  sizes.vector_stride = kernels::padded_head(head_width);  // as the kernel of steps reads them
  made.decoder = lower_positions(model.decoder_position(), sizes);
  made.cross = lower_positions(model.cross_position(), sizes);
  return made;
}

}  // namespace dietmt::nmt
