#include <cmath>

#include "common/error.h"
#include "kernels/rowwise.h"
#include "nmt/engine/engine_model.h"
#include "nmt/model/config.h"

namespace dietmt::nmt {
namespace {

kernels::LinearActivation activation_of(const std::string& name) {
  if (name == "relu") return kernels::LinearActivation::kRelu;
  if (name == "gelu") return kernels::LinearActivation::kGelu;
  if (name == "silu" || name == "swiglu") return kernels::LinearActivation::kSilu;
  if (name == "gelu-tanh" || name == "geglu-tanh") return kernels::LinearActivation::kGeluTanh;
  throw ConfigError("the decoding engine does not support activation '" + name + "'");
}

int64_t key_heads_of(const ModelConfig& config) {
  return config.kv_heads > 0 ? config.kv_heads : config.heads;
}

class Assembly {
 public:
  Assembly(const ModelConfig& config, WeightSource& source)
      : width_(config.width),
        head_width_(config.width_of_heads()),
        query_width_(config.heads * head_width_),
        key_width_(key_heads_of(config) * head_width_),
        qk_norm_(config.qk_norm),
        rms_(config.norm_type == "rms"),
        inner_(config.feed_forward),
        adapter_(config.adapter_size),
        norm_epsilon_(config.norm_epsilon),
        gated_(config.activation == "swiglu" || config.activation == "geglu-tanh"),
        activation_(activation_of(config.activation)),
        source_(source) {}

  NormWeights norm(const std::string& name) {
    return {source_.numbers(name + ".weight", width_),
            rms_ ? nullptr : source_.numbers(name + ".bias", width_), norm_epsilon_};
  }

  SelfAttentionWeights self_attention(const std::string& layer) {
    const std::string block = layer + ".self_attention.";
    return {linear(block + "input", query_width_ + 2 * key_width_, width_),
            linear(block + "output", width_, query_width_), norm(layer + ".self_residual.norm"),
            head_norms(block)};
  }

  RecurrenceWeights recurrence(const std::string& layer) {
    const std::string weight = layer + ".recurrence.input_weight";
    RecurrenceWeights made;
    made.candidate = {source_.matrix({weight, 2 * width_, width_, 0, width_})};
    // Only what subtracts the shift of the inputs: kernels/packed_linear.h.
    if (made.candidate.weights.input_multiplier > 0.0F)
      made.candidate.bias = source_.numbers(layer + ".recurrence.candidate_bias", width_);
    made.gate = {source_.matrix({weight, 2 * width_, width_, width_, width_}),
                 source_.numbers(layer + ".recurrence.forget_bias", width_)};
    made.norm = norm(layer + ".self_residual.norm");
    return made;
  }

  CrossAttentionWeights cross_attention(const std::string& layer) {
    const std::string block = layer + ".cross_attention.";
    return {linear(block + "query", query_width_, width_),
            linear(block + "memory", 2 * key_width_, width_),
            linear(block + "output", width_, query_width_), norm(layer + ".cross_residual.norm"),
            head_norms(block)};
  }

  FeedForwardWeights feed_forward(const std::string& layer) {
    const std::string block = layer + ".feed_forward.";
    FeedForwardWeights made;
    made.activation = activation_;
    made.outer = linear(block + "outer", width_, inner_);
    made.norm = norm(layer + ".feed_forward_residual.norm");
    if (!gated_) {
      made.inner = linear(block + "inner", inner_, width_);
      return made;
    }
    // One parameter holds the gate and the inner layer.
    const std::string weight = block + "inner_weight";
    const float* bias = source_.numbers(block + "inner_bias", 2 * inner_);
    made.gate = {source_.matrix({weight, 2 * inner_, width_, 0, inner_}), bias};
    made.inner = {source_.matrix({weight, 2 * inner_, width_, inner_, inner_}), bias + inner_};
    return made;
  }

  AdapterWeights adapter(const std::string& layer) {
    if (adapter_ == 0) return {};
    const std::string block = layer + ".adapter.";
    return {norm(block + "norm"), linear(block + "down", adapter_, width_),
            linear(block + "up", width_, adapter_)};
  }

 private:
  HeadNorms head_norms(const std::string& block) {
    if (!qk_norm_) return {};
    const auto of = [&](const char* name) {
      return NormWeights{source_.numbers(block + name, head_width_), nullptr, norm_epsilon_};
    };
    return {of("query_norm.weight"), of("key_norm.weight")};
  }

  LinearWeights linear(const std::string& name, int64_t outputs, int64_t inputs) {
    return {source_.matrix({name + "_weight", outputs, inputs}),
            source_.numbers(name + "_bias", outputs)};
  }

  int64_t width_;
  int64_t head_width_;
  int64_t query_width_;
  int64_t key_width_;
  bool qk_norm_;
  bool rms_;
  int64_t inner_;
  int64_t adapter_;
  double norm_epsilon_;
  bool gated_;
  kernels::LinearActivation activation_;
  WeightSource& source_;
};

// Tied tables are the same parameter.
const char* target_parameter(const ModelConfig& config) {
  return config.tied_embeddings == "all" ? "source_embedding" : "target_embedding";
}

void add_vocabularies(const ModelConfig& config, WeightSource& source, EngineWeights& weights) {
  const char* source_name = "source_embedding";
  const char* target = target_parameter(config);
  weights.source_embedding = source.matrix({source_name, config.source_vocabulary, config.width});
  weights.target_embedding = source.matrix({target, config.target_vocabulary, config.width});
  weights.output = {
      source.matrix({output_parameter(config), config.target_vocabulary, config.width}),
      config.output_bias ? source.numbers("output_bias", config.target_vocabulary) : nullptr};
}

}  // namespace

const char* output_parameter(const ModelConfig& config) {
  return config.tied_embeddings == "none" ? "output_weight" : target_parameter(config);
}

std::shared_ptr<const EngineWeights> assemble_weights(const ModelConfig& config,
                                                      WeightSource& source) {
  auto made = std::make_shared<EngineWeights>();
  EngineWeights& weights = *made;
  weights.width = config.width;
  weights.heads = config.heads;
  weights.key_heads = key_heads_of(config);
  weights.head_width = config.width_of_heads();
  weights.feed_forward = config.feed_forward;
  weights.adapter = config.adapter_size;
  weights.source_vocabulary = config.source_vocabulary;
  weights.target_vocabulary = config.target_vocabulary;
  weights.norm_first = config.norm == "pre";
  weights.alignment = config.alignment();
  weights.embedding_scale = std::sqrt(static_cast<float>(config.width));
  add_vocabularies(config, source, weights);

  Assembly assembly(config, source);
  if (config.embedding_norm) {
    weights.encoder_embedding_norm = assembly.norm("encoder.embedding_norm");
    weights.decoder_embedding_norm = assembly.norm("decoder.embedding_norm");
  }
  for (int64_t l = 0; l < config.encoder_layers; ++l) {
    const std::string layer = "encoder.layer" + std::to_string(l);
    weights.encoder.push_back(
        {assembly.self_attention(layer), assembly.feed_forward(layer), assembly.adapter(layer)});
  }
  for (int64_t l = 0; l < config.decoder_layers; ++l) {
    const std::string layer = "decoder.layer" + std::to_string(l);
    DecoderLayerWeights& block = weights.decoder.emplace_back();
    if (config.decoder_layer == "ssru") {
      block.recurrence = assembly.recurrence(layer);
    } else {
      block.self = assembly.self_attention(layer);
    }
    block.cross = assembly.cross_attention(layer);
    block.feed_forward = assembly.feed_forward(layer);
    block.adapter = assembly.adapter(layer);
  }
  if (weights.norm_first) {
    weights.encoder_norm = assembly.norm("encoder.final_norm");
    weights.decoder_norm = assembly.norm("decoder.final_norm");
  }
  weights.storage = source.storage();
  return made;
}

}  // namespace dietmt::nmt
