#include "nmt/network/translation_model.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>

#include "common/checks.h"
#include "common/error.h"
#include "encoders/attention/vector_terms.h"
#include "encoders/ops/linear.h"
#include "encoders/ops/scopes.h"
#include "encoders/ops/undrawn_weights.h"
#include "encoders/ops/weight_copies.h"
#include "encoders/position/scheme/position_spec.h"
#include "encoders/transformer/stacks.h"
#include "nmt/network/decoder_cache.h"
#include "nmt/network/model_size.h"

namespace dietmt::nmt {
namespace {

using encoders::StackConfig;

encoders::Activation activation_of(const std::string& name) {
  if (name == "gelu") return encoders::Activation::kGelu;
  if (name == "silu") return encoders::Activation::kSilu;
  if (name == "gelu-tanh") return encoders::Activation::kGeluTanh;
  if (name == "geglu-tanh") return encoders::Activation::kGegluTanh;
  return name == "swiglu" ? encoders::Activation::kSwiglu : encoders::Activation::kRelu;
}

StackConfig stack_config(const ModelConfig& config) {
  StackConfig stack;
  stack.width = config.width;
  stack.feed_forward = config.feed_forward;
  stack.heads = config.heads;
  stack.kv_heads = config.kv_heads;
  stack.own_head_width = config.head_width;
  stack.qk_norm = config.qk_norm;
  stack.embedding_norm = config.embedding_norm;
  stack.adapter = config.adapter_size;
  stack.max_positions = config.max_positions;
  stack.norm =
      config.norm == "pre" ? encoders::NormPlacement::kPre : encoders::NormPlacement::kPost;
  stack.norm_type =
      config.norm_type == "rms" ? encoders::NormType::kRms : encoders::NormType::kLayer;
  stack.norm_epsilon = config.norm_epsilon;
  stack.activation = activation_of(config.activation);
  stack.dropout = config.dropout;
  stack.attention_dropout = config.attention_dropout;
  stack.activation_dropout = config.activation_dropout;
  stack.embedding_dropout = config.embedding_dropout;
  return stack;
}

using at::Tensor;
using encoders::Packing;

// Tokens that the first tables of cached decoding cover; longer ones have twice as many.
constexpr int64_t kShortestTables = 64;

Tensor normal_embedding(int64_t vocabulary, int64_t width) {
  Tensor table = torch::empty({vocabulary, width});
  return encoders::UndrawnWeights::applies()
             ? table
             : table.normal_(0.0, 1.0 / std::sqrt(static_cast<double>(width)));
}

}  // namespace

encoders::StackConfig encoder_config(const ModelConfig& config) {
  StackConfig stack = stack_config(config);
  stack.layers = config.encoder_layers;
  stack.position = config.encoder_position;
  return stack;
}

encoders::StackConfig decoder_config(const ModelConfig& config) {
  StackConfig stack = stack_config(config);
  stack.layers = config.decoder_layers;
  stack.recurrent = config.decoder_layer == "ssru";
  stack.position = config.decoder_position;
  stack.cross_position = config.cross_position;
  return stack;
}

namespace {

// A recurrent decoder has no self-attention whose scores an encoding could change.
void require_no_scores(const std::string& spec, const std::vector<encoders::EncodingSpec>& parts) {
  for (const encoders::EncodingSpec& part : parts) {
    if (part.row->level == encoders::EncodingLevel::kInput || part.row->name == "none") continue;
    throw encoders::position_spec_error(
        spec, part.column,
        "'" + part.row->name +
            "' is for self-attention, which a decoder of ssru layers does not have; "
            "--decoder-position none, sinusoidal, learned and learnable-sinusoidal are possible");
  }
}

}  // namespace

std::vector<std::string> position_problems(const ModelConfig& config, const std::string& file) {
  using encoders::AttentionSite;
  std::vector<std::string> found;
  const auto check = [&](const char* key, const std::string& spec, const StackConfig& stack,
                         AttentionSite site) {
    try {
      const auto parts =
          encoders::parse_position_spec(spec, encoders::encoding_context(stack, site));
      if (site == AttentionSite::kDecoder && stack.recurrent) require_no_scores(spec, parts);
    } catch (const ConfigError& error) {
      const std::string problem =
          file.empty() ? error.what() : file + ": " + key + ": " + with_field_names(error.what());
      if (std::ranges::find(found, problem) == found.end()) found.push_back(problem);
    }
  };
  const StackConfig encoder = encoder_config(config), decoder = decoder_config(config);
  check("encoder_position", config.encoder_position, encoder, AttentionSite::kEncoder);
  // The same text is not wrong twice.
  if (found.empty() || config.decoder_position != config.encoder_position)
    check("decoder_position", config.decoder_position, decoder, AttentionSite::kDecoder);
  check("cross_position", config.cross_position, decoder, AttentionSite::kCross);
  return found;
}

TranslationModel::TranslationModel(const ModelConfig& config, uint64_t seed) : config_(config) {
  throw_if_any(config.problems());
  if (const std::string problem = memory_problem(config, sizeof(float)); !problem.empty())
    throw ConfigError(problem);
  const encoders::SeededDraws draws(seed);
  encoder_ =
      register_module("encoder", std::make_shared<encoders::EncoderStack>(encoder_config(config)));
  decoder_ =
      register_module("decoder", std::make_shared<encoders::DecoderStack>(decoder_config(config)));
  source_embedding_ = register_parameter("source_embedding",
                                         normal_embedding(config.source_vocabulary, config.width));
  target_embedding_ = source_embedding_;
  if (config.tied_embeddings != "all") {
    target_embedding_ = register_parameter(
        "target_embedding", normal_embedding(config.target_vocabulary, config.width));
  }
  output_weight_ = target_embedding_;
  if (config.tied_embeddings == "none") {
    output_weight_ = register_parameter("output_weight",
                                        normal_embedding(config.target_vocabulary, config.width));
  }
  if (config.output_bias) {
    output_bias_ = register_parameter("output_bias", torch::zeros({config.target_vocabulary}));
  }
  config_.encoder_position = encoder_->position().spec();
  config_.decoder_position = decoder_->position().spec();
  config_.cross_position = decoder_->cross_position().spec();
}

encoders::TokenEmbedding TranslationModel::embedding(const Tensor& table,
                                                     const encoders::TokenIds& tokens) const {
  return {table, tokens, std::sqrt(static_cast<double>(config_.width))};
}

Tensor TranslationModel::encode(const encoders::TokenIds& tokens, const Packing& packing,
                                encoders::DropoutKeys* dropout) const {
  const encoders::StackInput input(embedding(source_embedding_, tokens),
                                   whole_dropout_.source_words);
  return encoder_->forward(input, packing, backend_, dropout);
}

Tensor TranslationModel::decode(const encoders::TokenIds& tokens, const Packing& packing,
                                const Tensor& memory, const Packing& memory_packing,
                                encoders::DropoutKeys* dropout,
                                encoders::ObservedAttention* observed) const {
  const encoders::StackInput input(embedding(target_embedding_, tokens),
                                   whole_dropout_.target_words);
  return decoder_->forward(input, packing, memory, memory_packing, backend_, dropout, observed);
}

const Tensor& TranslationModel::output_weight() const { return output_weight_; }

const Tensor& TranslationModel::output_bias() const { return output_bias_; }

Tensor TranslationModel::logits(const Tensor& hidden) const {
  return encoders::wide_linear_layer(hidden, output_weight_, output_bias_);
}

DecoderCache TranslationModel::empty_cache() const {
  const at::ScalarType type = output_weight_.is_cpu()
                                  ? output_weight_.scalar_type()
                                  : encoders::pass_precision().type.value_or(at::kFloat);
  const at::TensorOptions options = output_weight_.options().dtype(type).requires_grad(false);
  const Tensor heads = at::empty({0, config_.heads, config_.width_of_heads()}, options);
  const bool recurrent = config_.decoder_layer == "ssru";
  const Tensor states = at::empty({0, config_.width}, options.dtype(at::kFloat));
  DecoderCache cache;
  for (int64_t l = 0; l < config_.decoder_layers; ++l)
    cache.layers.push_back(
        {recurrent ? states : heads, recurrent ? Tensor() : heads, heads, heads});
  return cache;
}

int64_t TranslationModel::memory_keys(int64_t source_tokens) const {
  const auto terms = decoder_->cross_position().lower({1, 1}, output_weight_).front();
  return encoders::compresses(terms) ? terms.key_compression.size(1) : source_tokens;
}

void TranslationModel::keep_memory(const Tensor& memory, const Packing& packing,
                                   const Tensor& slots, DecoderCache& cache) const {
  const auto projected = decoder_->project_memory(memory, packing);
  for (size_t l = 0; l < cache.layers.size(); ++l) {
    cache.layers[l].cross_keys.index_copy_(0, slots, projected.layers[l].keys);
    cache.layers[l].cross_values.index_copy_(0, slots, projected.layers[l].values);
  }
}

bool TranslationModel::cover(int64_t longest, DecoderCache& cache) const {
  if (cache.tables.length >= longest) return false;
  int64_t length = kShortestTables;
  while (length < longest) length *= 2;
  cache.tables = decoder_->step_tables(length, target_embedding_);
  return true;
}

bool TranslationModel::steps_have_fixed_work(const DecoderCache& cache) const {
  const Tensor& keys = cache.layers.front().cross_keys;  // as wide as queries, and of their type
  const auto by_kernel = [&](const encoders::StepTerms& terms) {
    return encoders::steps_by_kernel(terms, keys);
  };
  // Rotary positions of more heads take a copy from the host (encoders/attention/vector_terms.cpp).
  constexpr int64_t kMostHeads = 64;
  return config_.heads <= kMostHeads && std::ranges::all_of(cache.tables.self, by_kernel) &&
         std::ranges::all_of(cache.tables.cross, by_kernel);
}

Tensor TranslationModel::step(const Tensor& tokens, const encoders::StepRows& rows,
                              DecoderCache& cache) const {
  return decoder_->step(embedding(target_embedding_, tokens), rows, cache.tables, cache.layers);
}

int64_t TranslationModel::max_source_length() const {
  return std::min(encoder_->position().max_length(), decoder_->cross_position().max_length());
}

int64_t TranslationModel::max_target_length() const {
  return std::min(decoder_->position().max_length(), decoder_->cross_position().max_length());
}

namespace {

std::shared_ptr<const encoders::PositionScheme> shared(const encoders::PositionScheme& scheme) {
  return std::dynamic_pointer_cast<const encoders::PositionScheme>(scheme.shared_from_this());
}

}  // namespace

std::shared_ptr<const encoders::PositionScheme> TranslationModel::encoder_position() const {
  return shared(encoder_->position());
}

std::shared_ptr<const encoders::PositionScheme> TranslationModel::decoder_position() const {
  return shared(decoder_->position());
}

std::shared_ptr<const encoders::PositionScheme> TranslationModel::cross_position() const {
  return shared(decoder_->cross_position());
}

bool TranslationModel::aligns() const {
  const auto terms = decoder_->cross_position().lower({1, 1}, output_weight());
  return !encoders::compresses(terms.front());
}

void TranslationModel::set_attention_backend(encoders::Backend backend) { backend_ = backend; }

void TranslationModel::set_recomputation(bool wanted) {
  encoder_->set_recomputation(wanted);
  decoder_->set_recomputation(wanted);
}

void TranslationModel::set_whole_dropout(const WholeDropout& probabilities) {
  whole_dropout_ = probabilities;
  encoder_->set_layer_drop(probabilities.layers);
  decoder_->set_layer_drop(probabilities.layers);
}

void TranslationModel::start_from_zeros(int32_t begin) {
  const torch::NoGradGuard no_gradients;
  target_embedding_[begin].zero_();
  if (!target_embedding_.requires_grad()) return;
  target_embedding_.register_hook([begin](at::Tensor gradient) {
    gradient[begin].zero_();
    return gradient;
  });
}

bool TranslationModel::starts_from_zeros(int32_t begin) const {
  return target_embedding_[begin].count_nonzero().item<int64_t>() == 0;
}

double TranslationModel::kept_elements(const Packing& source, const Packing& target) const {
  return encoder_->kept_elements(source) + decoder_->kept_elements(target, source);
}

data::PackedTokens pack(std::span<const std::vector<int32_t>* const> sentences) {
  data::PackedTokens packed;
  for (const auto* sentence : sentences) packed.append(*sentence);
  return packed;
}

data::PackedTokens shifted_right(const data::PackedTokens& target, int32_t begin) {
  data::PackedTokens shifted{std::vector<int32_t>(target.tokens.size()), target.offsets};
  for (size_t b = 0; b + 1 < target.offsets.size(); ++b) {
    const auto first = static_cast<size_t>(target.offsets[b]);
    const auto end = static_cast<size_t>(target.offsets[b + 1]);
    shifted.tokens[first] = begin;
    for (size_t i = first + 1; i < end; ++i) shifted.tokens[i] = target.tokens[i - 1];
  }
  return shifted;
}

namespace {

// Tables of pieces whose vocabulary has become longer keep the rows of the pieces they had.
void keep_pieces(const TranslationModel& trained, TranslationModel& heir,
                 encoders::Inheritance& inheritance) {
  const torch::NoGradGuard no_grad;
  const auto present = trained.named_parameters(false);
  auto parameters = heir.named_parameters(false);
  for (const auto& item : present) {
    Tensor* table = parameters.find(item.key());
    if (table == nullptr || table->size(0) <= item.value().size(0)) continue;
    table->narrow(0, 0, item.value().size(0)).copy_(item.value());
    std::erase(inheritance.drawn, item.key());
    inheritance.extended.push_back(item.key());
  }
}

}  // namespace

RebuiltModel rebuild(const TranslationModel& trained, const ModelConfig& config, uint64_t seed) {
  RebuiltModel rebuilt{std::make_shared<TranslationModel>(config, seed), {}};
  rebuilt.inheritance = encoders::inherit(*rebuilt.model, config.max_positions, trained,
                                          trained.config().max_positions);
  keep_pieces(trained, *rebuilt.model, rebuilt.inheritance);
  return rebuilt;
}

}  // namespace dietmt::nmt
