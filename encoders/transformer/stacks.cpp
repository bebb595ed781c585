#include "encoders/transformer/stacks.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "common/random.h"
#include "encoders/attention/vector_terms.h"
#include "encoders/ops/fused_ops.h"
#include "encoders/ops/weight_copies.h"
#include "encoders/position/term_table.h"
#include "encoders/transformer/recomputation.h"
#include "kernels/attention_tables.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

std::shared_ptr<PositionScheme> make_scheme(const StackConfig& config, AttentionSite site,
                                            const std::string& spec) {
  return std::make_shared<PositionScheme>(spec, encoding_context(config, site));
}

/// The terms of all layers, as attention runs them fastest.
std::vector<ScoreTerms> lower(const PositionScheme& position, const Extent& extent,
                              const Tensor& like) {
  return multiply_features(position.lower(extent, like));
}

Extent full_extent(const Packing& queries, const Packing& keys) {
  return {queries.max_length(), keys.max_length()};
}

// The tables of a layer's terms among the inputs of a recomputed section, after other tensors.
void append_tables(const ScoreTerms& terms, std::vector<Tensor>& inputs) {
  for (const Term& term : kTerms) inputs.push_back(terms.*term.table);
}

ScoreTerms with_tables(ScoreTerms terms, const std::vector<Tensor>& inputs, size_t first) {
  for (const Term& term : kTerms) terms.*term.table = inputs[first++];
  return terms;
}

double kept_of_pairs(const PositionScheme& position, const Extent& extent) {
  const int64_t pairs = extent.queries * extent.keys;
  const double products = pairs <= kernels::kFewPairs ? position.products_per_pair() : 0.0;
  return static_cast<double>(pairs) * (position.kept_per_pair() + products);
}

// Layers left out of a training pass as a whole (Fan et al. 2020, LayerDrop). The host decides, so
// such passes need their key there.
bool is_dropped(double p, DropoutKeys* keys) {
  const DropoutSite site = dropout_site(p, keys);
  return site.p > 0.0 && Random(site.key()).uniform() < site.p;
}

// The norm of an adapter, its bottleneck and its sum.
double kept_of_adapter(const StackConfig& config) {
  return config.adapter > 0 ? static_cast<double>(2 * config.width + config.adapter) : 0.0;
}

double layers_times(const StackConfig& config, double numbers, int64_t tokens) {
  return static_cast<double>(config.layers) * numbers * static_cast<double>(tokens);
}

/// The first layer's input: with positions, norm and dropout. On the CPU it is fp32 up to here.
Tensor embedded(const PositionScheme& position, const std::shared_ptr<Norm>& norm,
                const StackInput& input, const Packing& packing, const StackConfig& config,
                DropoutKeys* keys) {
  if (!norm && input.fuses_positions(keys) && !position.embeds_segments()) {
    const Tensor table =
        position.position_table(packing.max_length(), table_options(input.tokens->table));
    return embed(*input.tokens, table, packing.positions(),
                 dropout_site(config.embedding_dropout, keys));
  }
  const Tensor x = position.embed(input.vectors(keys), packing.positions(), packing.segments(),
                                  packing.max_length());
  return in_pass_type(
      dropout(norm ? norm->forward(x) : x, dropout_site(config.embedding_dropout, keys)));
}

// Registers it if the configuration asks for it.
std::shared_ptr<Norm> make_embedding_norm(const StackConfig& config, torch::nn::Module& owner) {
  if (!config.embedding_norm) return nullptr;
  return owner.register_module("embedding_norm", make_norm(config));
}

}  // namespace

Tensor StackInput::vectors(DropoutKeys* keys) const {
  if (!tokens) return embeddings;
  return row_dropout(embed(*tokens), dropout_site(word_dropout, keys));
}

bool StackInput::fuses_positions(const DropoutKeys* keys) const {
  const bool drops_words = keys != nullptr && word_dropout > 0.0;
  return tokens && !drops_words && embeds_with_positions(*tokens);
}

EncodingContext encoding_context(const StackConfig& config, AttentionSite site) {
  EncodingContext context;
  context.site = site;
  context.layers = config.layers;
  context.heads = config.heads;
  context.head_width = config.head_width();
  context.model_width = config.width;
  context.max_positions = config.max_positions;
  context.embedding_deviation = config.embedding_deviation;
  context.segments = config.segments;
  context.starts_with_summary = config.starts_with_summary;
  return context;
}

EncoderStack::EncoderStack(const StackConfig& config) : config_(config) {
  position_ =
      register_module("position", make_scheme(config, AttentionSite::kEncoder, config.position));
  embedding_norm_ = make_embedding_norm(config, *this);
  for (int64_t l = 0; l < config.layers; ++l) {
    layers_.push_back(register_module("layer" + std::to_string(l),
                                      std::make_shared<EncoderLayer>(config, false)));
  }
  if (config.norm == NormPlacement::kPre)
    final_norm_ = register_module("final_norm", make_norm(config));
}

double EncoderStack::kept_elements(const Packing& packing) const {
  const auto width = static_cast<double>(config_.width);
  const double numbers =
      6.0 * width + static_cast<double>(config_.feed_forward) + kept_of_adapter(config_);
  return layers_times(config_, recomputation_ ? width : numbers, packing.tokens()) +
         kept_of_pairs(*position_, full_extent(packing, packing));
}

Tensor EncoderStack::forward(const StackInput& input, const Packing& packing, Backend backend,
                             DropoutKeys* keys) const {
  Tensor x = embedded(*position_, embedding_norm_, input, packing, config_, keys);
  const std::vector<ScoreTerms> terms = lower(*position_, full_extent(packing, packing), x);
  for (size_t l = 0; l < layers_.size(); ++l) {
    if (is_dropped(layer_drop_, keys)) continue;
    if (recomputation_)
      x = recomputed_layer(l, x, packing, terms[l], backend, keys);
    else
      x = layers_[l]->forward(x, packing, terms[l], backend, keys);
  }
  return final_norm_ ? final_norm_->forward(x) : x;
}

Tensor EncoderStack::recomputed_layer(size_t l, const Tensor& x, const Packing& packing,
                                      const ScoreTerms& terms, Backend backend,
                                      DropoutKeys* keys) const {
  std::vector<Tensor> inputs = {x};
  append_tables(terms, inputs);
  const auto layer = layers_[l];
  return recomputed(
      [=](const std::vector<Tensor>& given, DropoutKeys* same_keys) {
        return layer->forward(given[0], packing, with_tables(terms, given, 1), backend, same_keys);
      },
      inputs, keys);
}

std::vector<Tensor> EncoderStack::hidden_states(const StackInput& input, const Packing& packing,
                                                Backend backend, DropoutKeys* keys) const {
  std::vector<Tensor> states = {
      embedded(*position_, embedding_norm_, input, packing, config_, keys)};
  const std::vector<ScoreTerms> terms =
      lower(*position_, full_extent(packing, packing), states.front());
  for (size_t l = 0; l < layers_.size(); ++l) {
    states.push_back(is_dropped(layer_drop_, keys)
                         ? states.back()
                         : layers_[l]->forward(states.back(), packing, terms[l], backend, keys));
  }
  if (final_norm_) states.back() = final_norm_->forward(states.back());
  return states;
}

DecoderStack::DecoderStack(const StackConfig& config) : config_(config) {
  position_ =
      register_module("position", make_scheme(config, AttentionSite::kDecoder, config.position));
  cross_position_ = register_module(
      "cross_position", make_scheme(config, AttentionSite::kCross, config.cross_position));
  embedding_norm_ = make_embedding_norm(config, *this);
  for (int64_t l = 0; l < config.layers; ++l) {
    layers_.push_back(
        register_module("layer" + std::to_string(l), std::make_shared<DecoderLayer>(config)));
  }
  if (config.norm == NormPlacement::kPre)
    final_norm_ = register_module("final_norm", make_norm(config));
}

// Cross-attention adds queries, the attention's output, and its block's output; of the memory, keys
// and values.
double DecoderStack::kept_elements(const Packing& packing, const Packing& memory_packing) const {
  const auto width = static_cast<double>(config_.width);
  const double of_pairs = kept_of_pairs(*position_, full_extent(packing, packing)) +
                          kept_of_pairs(*cross_position_, full_extent(packing, memory_packing));
  if (recomputation_) return layers_times(config_, width, packing.tokens()) + of_pairs;
  const double numbers =
      9.0 * width + static_cast<double>(config_.feed_forward) + kept_of_adapter(config_);
  return layers_times(config_, numbers, packing.tokens()) +
         layers_times(config_, 2.0 * width, memory_packing.tokens()) + of_pairs;
}

Tensor DecoderStack::forward(const StackInput& input, const Packing& packing, const Tensor& memory,
                             const Packing& memory_packing, Backend backend, DropoutKeys* keys,
                             ObservedAttention* observed) const {
  Tensor x = embedded(*position_, embedding_norm_, input, packing, config_, keys);
  const std::vector<ScoreTerms> terms = lower(*position_, full_extent(packing, packing), x);
  const std::vector<ScoreTerms> cross_terms =
      lower(*cross_position_, full_extent(packing, memory_packing), x);
  const auto is_observed = [&](size_t l) {
    return observed != nullptr && observed->layer == static_cast<int64_t>(l);
  };
  std::vector<CrossAttention::Memory> projected = project_for_all(memory, keys);
  const auto run_layer = [&](size_t l) {
    const auto layer = layers_[l];
    if (!recomputation_ || is_observed(l)) {
      const CrossAttention::Memory own =
          projected.empty() ? layer->cross_attention().project(memory) : std::move(projected[l]);
      return layer->forward(x, packing, terms[l], own, memory_packing, cross_terms[l], backend,
                            keys, is_observed(l) ? observed : nullptr);
    }
    std::vector<Tensor> inputs = {x, memory};
    append_tables(terms[l], inputs);
    append_tables(cross_terms[l], inputs);
    return recomputed(
        [layer, packing, memory_packing, backend, own = terms[l], cross = cross_terms[l]](
            const std::vector<Tensor>& given, DropoutKeys* same_keys) {
          return layer->forward(given[0], packing, with_tables(own, given, 2),
                                layer->cross_attention().project(given[1]), memory_packing,
                                with_tables(cross, given, 2 + kTerms.size()), backend, same_keys);
        },
        inputs, keys);
  };
  for (size_t l = 0; l < layers_.size(); ++l)
    if (!is_dropped(layer_drop_, keys) || is_observed(l)) x = run_layer(l);
  return final_norm_ ? final_norm_->forward(x) : x;
}

std::vector<CrossAttention::Memory> DecoderStack::project_for_all(const Tensor& memory,
                                                                  DropoutKeys* keys) const {
  const bool drops_layers = keys != nullptr && layer_drop_ > 0.0;
  const bool one_by_one = memory.is_cpu() && memory.scalar_type() != at::kBFloat16;
  if (one_by_one || recomputation_ || drops_layers) return {};
  return CrossAttention::project_together(cross_attentions(), memory);
}

std::vector<const CrossAttention*> DecoderStack::cross_attentions() const {
  std::vector<const CrossAttention*> found;
  for (const auto& layer : layers_) found.push_back(&layer->cross_attention());
  return found;
}

DecoderStack::ProjectedMemory DecoderStack::project_memory(const Tensor& memory,
                                                           const Packing& packing) const {
  const Extent extent{1, packing.max_length()};
  const std::vector<ScoreTerms> terms = cross_position_->lower(extent, memory);
  std::vector<CrossAttention::Memory> projected =
      CrossAttention::project_together(cross_attentions(), memory);
  for (size_t l = 0; l < layers_.size(); ++l) {
    projected[l] = {compress(projected[l].keys, packing, terms[l].key_compression),
                    compress(projected[l].values, packing, terms[l].value_compression)};
  }
  return {std::move(projected), compressed_packing(packing, terms.front())};
}

DecoderStack::StepTables DecoderStack::step_tables(int64_t length, const Tensor& like) const {
  const auto terms_of = [&](const PositionScheme& position) {
    const int64_t covered = std::min(length, position.max_length());
    return step_terms(position.lower({covered, covered}, like), like);
  };
  StepTables tables{length, {}, terms_of(*position_), terms_of(*cross_position_)};
  tables.embedding = position_->position_table(std::min(length, position_->max_length()),
                                               like.options().requires_grad(false));
  return tables;
}

Tensor DecoderStack::step(const TokenEmbedding& tokens, const StepRows& rows,
                          const StepTables& tables,
                          std::vector<DecoderLayer::StepCache>& cache) const {
  Tensor x;
  if (!embedding_norm_ && embeds_with_positions(tokens)) {
    x = encoders::embed(tokens, tables.embedding, rows.positions, {});
  } else {
    x = encoders::embed(tokens);
    if (tables.embedding.defined())
      x = x + at::embedding(tables.embedding, rows.positions).to(x.scalar_type());
    if (embedding_norm_) x = embedding_norm_->forward(x);
  }
  for (size_t l = 0; l < layers_.size(); ++l)
    x = layers_[l]->step(x, cache[l], rows, tables.self[l], tables.cross[l]);
  return final_norm_ ? final_norm_->forward(x) : x;
}

}  // namespace dietmt::encoders
