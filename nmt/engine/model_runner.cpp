#include "nmt/engine/model_runner.h"

#include <algorithm>

#include "kernels/rowwise.h"

namespace dietmt::nmt {
namespace {

constexpr int64_t kCacheLineBytes = 64;

// Models with input multipliers give what another program gives, which attends in fp32.
kernels::CacheType cache_type_of(const EngineWeights& weights) {
  const bool exact = weights.output.weights.type == kernels::WeightType::kFloat ||
                     (!weights.decoder.empty() &&
                      weights.decoder.front().cross.query.weights.input_multiplier > 0.0F);
  return exact ? kernels::CacheType::kFloat : kernels::CacheType::kBFloat16;
}

int64_t cached_heads(const EngineWeights& weights, const PositionTables& positions) {
  if (weights.key_heads == weights.heads) return weights.heads;
  const auto is_shared = [](const LayerPositions& layer) {
    return layer.keys.are_shared() && layer.key_compression.head_stride == 0 &&
           layer.value_compression.head_stride == 0;
  };
  return std::ranges::all_of(positions.of(1).layers, is_shared) ? weights.key_heads : weights.heads;
}

// A recurrent layer keeps its state where others keep keys and values of all heads.
int64_t cached_self_heads(const EngineModel& model) {
  const EngineWeights& weights = *model.weights;
  if (!weights.decoder.empty() && weights.decoder.front().is_recurrent()) return weights.heads;
  return cached_heads(weights, *model.decoder);
}

}  // namespace

ModelRunner::ModelRunner(const EngineModel& model, ThreadTeam& team)
    : model_(model),
      weights_(*model.weights),
      team_(team),
      width_(weights_.width),
      query_width_(weights_.query_width()),
      key_width_(weights_.key_width()),
      self_width_(query_width_ + 2 * key_width_),
      self_heads_(cached_self_heads(model)),
      memory_heads_(cached_heads(weights_, *model.cross)),
      padded_width_(self_heads_ * kernels::padded_head(weights_.head_width)),
      cache_type_(cache_type_of(weights_)),
      number_bytes_(kernels::cache_bytes(cache_type_)),
      value_stride_(memory_heads_ * kernels::padded_head(weights_.head_width) +
                    kCacheLineBytes / number_bytes_),
      slot_stride_(2 * padded_width_ + kCacheLineBytes / number_bytes_),
      attention_(static_cast<size_t>(team.size())),
      cache_(weights_.decoder.size()) {}

void ModelRunner::reserve_rows(int64_t rows) {
  for (AlignedBuffer<float>* buffer : {&x_, &normed_}) buffer->reserve(rows * width_);
  mixed_.reserve(rows * query_width_);
  projected_.reserve(rows * std::max(self_width_, 2 * width_));
  const int64_t widest = std::max(weights_.feed_forward, weights_.adapter);
  inner_.reserve(rows * widest);
  gated_.reserve(rows * weights_.feed_forward);
  const auto bytes = [&](int64_t inputs) {
    return static_cast<int64_t>(
        kernels::prepared_bytes(weights_.output.weights.type, rows, inputs));
  };
  prepared_.reserve(std::max({bytes(width_), bytes(query_width_), bytes(widest)}));
}

kernels::PreparedRows ModelRunner::prepare(const LinearWeights& weights, int64_t rows,
                                           const float* values) {
  const kernels::PackedWeights& packed = weights.weights;
  return kernels::linear_kernels().prepare_rows(packed.type, rows, packed.inputs, values,
                                                packed.inputs, prepared_.data(),
                                                packed.input_multiplier);
}

void ModelRunner::linear(const LinearWeights& weights, const kernels::PreparedRows& input,
                         const LinearEnd& end) {
  team_.run([&](int64_t t) {
    const auto share = team_.share(weights.weights.outputs, kernels::kPanelOutputs, t);
    if (share.first == share.last) return;
    kernels::linear_kernels().linear({.weights = &weights.weights,
                                      .input = &input,
                                      .bias = weights.bias,
                                      .activation = end.activation,
                                      .residual = end.residual,
                                      .residual_stride = end.stride,
                                      .output = end.output,
                                      .output_stride = end.stride,
                                      .first_output = share.first,
                                      .last_output = share.last});
  });
}

void ModelRunner::linear(const LinearWeights& weights, int64_t rows, const float* values,
                         const LinearEnd& end) {
  linear(weights, prepare(weights, rows, values), end);
}

void ModelRunner::embed(const kernels::PackedWeights& table, int32_t token,
                        const SitePositions& positions, int64_t position, float* to) const {
  kernels::unpack_output(table, token, to);
  for (int64_t d = 0; d < width_; ++d) to[d] *= weights_.embedding_scale;
  if (positions.embedding == nullptr) return;
  const float* added = positions.embedding + position * width_;
  for (int64_t d = 0; d < width_; ++d) to[d] += added[d];
}

void ModelRunner::normalize(const NormWeights& norm, int64_t rows, const float* from,
                            float* to) const {
  if (norm.beta == nullptr)
    kernels::row_kernels().rms_norm_rows(rows, width_, from, norm.gamma, norm.epsilon, to);
  else
    kernels::row_kernels().layer_norm_rows(rows, width_, from, norm.gamma, norm.beta, norm.epsilon,
                                           to);
}

void ModelRunner::normalize_heads(const NormWeights& norm, int64_t heads, float* vectors) const {
  if (norm.gamma != nullptr)
    kernels::row_kernels().rms_norm_rows(heads, weights_.head_width, vectors, norm.gamma,
                                         norm.epsilon, vectors);
}

// The input of a block: the residual stream, or its norm.
const float* ModelRunner::block_input(const NormWeights& norm, int64_t rows) {
  if (!weights_.norm_first) return x_.data();
  normalize(norm, rows, x_.data(), normed_.data());
  return normed_.data();
}

// Projects the branch of a block and adds it to the residual stream.
void ModelRunner::end_block(const LinearWeights& output, const float* branch,
                            const NormWeights& norm, int64_t rows) {
  linear(output, rows, branch, {.output = x_.data(), .stride = width_, .residual = x_.data()});
  end_norm(norm, rows);
}

void ModelRunner::end_norm(const NormWeights& norm, int64_t rows) {
  if (!weights_.norm_first) normalize(norm, rows, x_.data(), x_.data());
}

void ModelRunner::feed_forward(const FeedForwardWeights& block, int64_t rows) {
  const int64_t inner = weights_.feed_forward;
  const kernels::PreparedRows input = prepare(block.inner, rows, block_input(block.norm, rows));
  const bool gated = block.gate.weights.panels != nullptr;
  linear(block.inner, input,
         {.output = inner_.data(),
          .stride = inner,
          .activation = gated ? kernels::LinearActivation::kNone : block.activation});
  if (gated) {
    linear(block.gate, input,
           {.output = gated_.data(), .stride = inner, .activation = block.activation});
    kernels::row_kernels().multiply_into(rows * inner, gated_.data(), inner_.data());
  }
  end_block(block.outer, inner_.data(), block.norm, rows);
}

void ModelRunner::adapt(const AdapterWeights& block, int64_t rows) {
  if (block.norm.gamma == nullptr) return;
  normalize(block.norm, rows, x_.data(), normed_.data());
  linear(block.down, rows, normed_.data(),
         {.output = inner_.data(),
          .stride = weights_.adapter,
          .activation = kernels::LinearActivation::kRelu});
  linear(block.up, rows, inner_.data(),
         {.output = x_.data(), .stride = width_, .residual = x_.data()});
}

void ModelRunner::reserve_slots(int64_t count) {
  for (AlignedBuffer<uint8_t>& layer : cache_) layer.reserve(count * slot_stride_ * number_bytes_);
}

void ModelRunner::step(std::span<const int32_t> tokens, std::span<const StepSentence> sentences) {
  const auto rows = static_cast<int64_t>(tokens.size());
  reserve_rows(rows);
  for (const StepSentence& sentence : sentences)
    for (int64_t r = sentence.first_row; r < sentence.first_row + sentence.rows; ++r)
      embed(weights_.target_embedding, tokens[static_cast<size_t>(r)], *sentence.memory->self,
            sentence.position, x_.data() + r * width_);
  norm_stream(weights_.decoder_embedding_norm, rows);
  for (size_t l = 0; l < weights_.decoder.size(); ++l) {
    const DecoderLayerWeights& layer = weights_.decoder[l];
    if (layer.is_recurrent()) {
      recurrence(sentences, l, rows);
    } else {
      linear(layer.self.input, rows, block_input(layer.self.norm, rows),
             {.output = projected_.data(), .stride = self_width_});
      cache_rows(sentences, l);
      self_attention(sentences, l);
      end_block(layer.self.output, mixed_.data(), layer.self.norm, rows);
    }
    linear(layer.cross.query, rows, block_input(layer.cross.norm, rows),
           {.output = projected_.data(), .stride = query_width_});
    normalize_heads(layer.cross.heads.queries, rows * weights_.heads, projected_.data());
    cross_attention(sentences, l);
    end_block(layer.cross.output, mixed_.data(), layer.cross.norm, rows);
    feed_forward(layer.feed_forward, rows);
    adapt(layer.adapter, rows);
  }
  norm_stream(weights_.decoder_norm, rows);
}

void ModelRunner::norm_stream(const NormWeights& norm, int64_t rows) {
  if (norm.gamma != nullptr) normalize(norm, rows, x_.data(), x_.data());
}

// Normalizes queries and keys, moves them to their positions, and caches keys and values.
void ModelRunner::cache_rows(std::span<const StepSentence> sentences, size_t layer) {
  const int64_t heads = weights_.heads;
  const int64_t head_width = weights_.head_width;
  const HeadNorms& norms = weights_.decoder[layer].self.heads;
  for (const StepSentence& sentence : sentences) {
    const LayerPositions& moves = sentence.memory->self->layers[layer];
    for (int64_t r = 0; r < sentence.rows; ++r) {
      float* queries = projected_.data() + (sentence.first_row + r) * self_width_;
      normalize_heads(norms.queries, heads, queries);
      normalize_heads(norms.keys, weights_.key_heads, queries + query_width_);
      float* keys =
          repeated({queries + query_width_, self_width_}, 1, self_heads_, repeated_keys_).values;
      const float* values = repeated({queries + query_width_ + key_width_, self_width_}, 1,
                                     self_heads_, repeated_values_)
                                .values;
      if (moves.queries) moves.queries.apply(heads, head_width, sentence.position, queries);
      if (moves.keys) moves.keys.apply(self_heads_, head_width, sentence.position, keys);
      const int64_t slot = sentence.slots[r * sentence.slots_stride + sentence.position];
      uint8_t* to = cache_[layer].data() + slot * slot_stride_ * number_bytes_;
      kernels::step_kernels().cache_row(cache_type_, self_heads_, head_width, keys, to);
      kernels::step_kernels().cache_row(cache_type_, self_heads_, head_width, values,
                                        to + padded_width_ * number_bytes_);
    }
  }
}

// Each row continues from the state in the slot of its last token but one.
void ModelRunner::recurrence(std::span<const StepSentence> sentences, size_t layer, int64_t rows) {
  const RecurrenceWeights& block = weights_.decoder[layer].recurrence;
  const kernels::PreparedRows input = prepare(block.candidate, rows, block_input(block.norm, rows));
  linear(block.candidate, input, {.output = projected_.data(), .stride = 2 * width_});
  linear(block.gate, input, {.output = projected_.data() + width_, .stride = 2 * width_});
  const auto state = [&](int32_t slot) {
    return reinterpret_cast<float*>(cache_[layer].data() + slot * slot_stride_ * number_bytes_);
  };
  for (const StepSentence& sentence : sentences) {
    for (int64_t r = 0; r < sentence.rows; ++r) {
      const float* candidate = projected_.data() + (sentence.first_row + r) * 2 * width_;
      const int32_t* slots = sentence.slots + r * sentence.slots_stride;
      kernels::row_kernels().ssru_step(
          {.width = width_,
           .candidate = candidate,
           .gate = candidate + width_,
           .before = sentence.position > 0 ? state(slots[sentence.position - 1]) : nullptr,
           .state = state(slots[sentence.position]),
           .residual = x_.data() + (sentence.first_row + r) * width_});
    }
  }
  end_norm(block.norm, rows);
}

template <typename Fill>
void ModelRunner::attend_step(std::span<const StepSentence> sentences, int64_t query_stride,
                              const Fill& fill) {
  team_.run([&](int64_t t) {
    const auto heads = team_.share(weights_.heads, 1, t);
    auto& [calls, workspace] = attention_[static_cast<size_t>(t)];
    calls.clear();
    int64_t numbers = 0;
    for (const StepSentence& sentence : sentences) {
      kernels::StepAttention& call = calls.emplace_back();
      call.head_width = weights_.head_width;
      call.first_head = heads.first;
      call.last_head = heads.last;
      call.hypotheses = sentence.rows;
      call.position = sentence.position;
      call.queries = projected_.data() + sentence.first_row * query_stride;
      call.query_stride = query_stride;
      call.output = mixed_.data() + sentence.first_row * query_width_;
      call.output_stride = query_width_;
      fill(sentence, call);
      numbers = std::max(numbers, kernels::step_kernels().attention_workspace(call));
    }
    kernels::step_kernels().attention(cache_type_, calls, workspace.reserve(numbers));
  });
}

void ModelRunner::self_attention(std::span<const StepSentence> sentences, size_t layer) {
  attend_step(sentences, self_width_,
              [&](const StepSentence& sentence, kernels::StepAttention& call) {
                call.heads_per_key = weights_.heads / self_heads_;
                call.keys = sentence.position + 1;
                call.terms = &sentence.memory->self->layers[layer].step;
                call.slots = sentence.slots;
                call.slots_stride = sentence.slots_stride;
                call.key_rows = cache_[layer].data();
                call.value_rows = cache_[layer].data() + padded_width_ * number_bytes_;
                call.row_stride = slot_stride_;
              });
}

void ModelRunner::cross_attention(std::span<const StepSentence> sentences, size_t layer) {
  const int64_t stride = reserve_attention(sentences, layer);
  attend_step(sentences, query_width_,
              [&](const StepSentence& sentence, kernels::StepAttention& call) {
                SentenceMemory& memory = *sentence.memory;
                call.heads_per_key = weights_.heads / memory_heads_;
                call.keys = memory.keys;
                call.terms = &memory.cross->layers[layer].step;
                call.key_columns = memory.key_columns(layer);
                call.key_stride = memory.key_stride;
                call.value_rows = memory.value_rows(layer);
                call.row_stride = value_stride_;
                if (stride == 0 || sentence.attention == nullptr) return;
                call.weights = head_attention_.data() + sentence.first_row * stride;
                call.weights_stride = stride;
              });
  if (stride == 0) return;
  for (const StepSentence& sentence : sentences)
    if (sentence.attention != nullptr) add_attention(sentence, stride);
}

// Room for the attention of a row in all heads; 0 if nobody wants that of this layer.
int64_t ModelRunner::reserve_attention(std::span<const StepSentence> sentences, size_t layer) {
  if (static_cast<int64_t>(layer) != weights_.alignment.layer) return 0;
  int64_t keys = 0, rows = 0;
  for (const StepSentence& sentence : sentences) {
    if (sentence.attention == nullptr) continue;
    keys = std::max(keys, sentence.memory->keys);
    rows = std::max(rows, sentence.first_row + sentence.rows);
  }
  head_attention_.reserve(rows * weights_.heads * keys);
  return weights_.heads * keys;
}

void ModelRunner::add_attention(const StepSentence& sentence, int64_t stride) const {
  const int64_t chosen = weights_.alignment.head;
  const bool all = chosen == AlignmentSite::kAllHeads;
  const int64_t keys = sentence.memory->keys;
  const int64_t first = all ? 0 : chosen;
  const int64_t last = all ? weights_.heads : chosen + 1;
  const float share = 1.0F / static_cast<float>(last - first);
  for (int64_t r = 0; r < sentence.rows; ++r) {
    const float* heads = head_attention_.data() + (sentence.first_row + r) * stride;
    float* to = sentence.attention + r * keys;
    for (int64_t h = first; h < last; ++h)
      for (int64_t j = 0; j < keys; ++j) to[j] += share * heads[h * keys + j];
  }
}

const float* ModelRunner::logits(const LinearWeights& outputs, int64_t first, int64_t count) {
  const int64_t size = outputs.weights.outputs;
  logits_.reserve(count * size);
  linear(outputs, count, x_.data() + first * width_, {.output = logits_.data(), .stride = size});
  return logits_.data();
}

}  // namespace dietmt::nmt
