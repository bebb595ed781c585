// Encodes sentences of any lengths, and prepares their keys and values for the decoder.
#include <algorithm>

#include "kernels/attention_tables.h"
#include "kernels/rowwise.h"
#include "nmt/engine/model_runner.h"

namespace dietmt::nmt {
namespace {

int64_t length_of(const EncodeItem& item) { return static_cast<int64_t>(item.source.size()); }

}  // namespace

void ModelRunner::encode(std::span<const EncodeItem> items) {
  int64_t tokens = 0;
  for (const EncodeItem& item : items) tokens += length_of(item);
  reserve_rows(tokens);
  float* x = x_.data();
  for (const EncodeItem& item : items) {
    const SitePositions& positions = model_.encoder->of(length_of(item));
    for (int64_t i = 0; i < length_of(item); ++i, x += width_)
      embed(weights_.source_embedding, item.source[static_cast<size_t>(i)], positions, i, x);
  }
  norm_stream(weights_.encoder_embedding_norm, tokens);
  for (size_t l = 0; l < weights_.encoder.size(); ++l) {
    const EncoderLayerWeights& layer = weights_.encoder[l];
    linear(layer.self.input, tokens, block_input(layer.self.norm, tokens),
           {.output = projected_.data(), .stride = self_width_});
    encoder_attention(items, l);
    end_block(layer.self.output, mixed_.data(), layer.self.norm, tokens);
    feed_forward(layer.feed_forward, tokens);
    adapt(layer.adapter, tokens);
  }
  norm_stream(weights_.encoder_norm, tokens);
  project_memory(items, tokens);
}

// The kernel rounds relative terms as for the longest sentence of a call. Only sentences of equal
// length share a call, so that a sentence's numbers do not depend on its neighbours.
void ModelRunner::encoder_attention(std::span<const EncodeItem> items, size_t layer) {
  int64_t token = 0;
  for (size_t first = 0; first < items.size();) {
    size_t end = first + 1;
    while (end < items.size() && items[end].source.size() == items[first].source.size()) ++end;
    const auto run = items.subspan(first, end - first);
    attend_run(run, token, layer);
    token += length_of(run.front()) * static_cast<int64_t>(run.size());
    first = end;
  }
}

void ModelRunner::attend_run(std::span<const EncodeItem> run, int64_t first_token, size_t layer) {
  const int64_t heads = weights_.heads;
  const int64_t head_width = weights_.head_width;
  const auto sentences = static_cast<int64_t>(run.size());
  const int64_t length = length_of(run.front());
  const SitePositions& site = model_.encoder->of(length);
  const LayerPositions& positions = site.layers[layer];
  const int64_t keys = site.keys_of(length);
  const HeadNorms& norms = weights_.encoder[layer].self.heads;

  float* queries = projected_.data() + first_token * self_width_;
  for (int64_t n = 0; n < sentences * length; ++n) {
    normalize_heads(norms.queries, heads, queries + n * self_width_);
    normalize_heads(norms.keys, weights_.key_heads, queries + n * self_width_ + query_width_);
  }
  const Rows all_keys =
      repeated({queries + query_width_, self_width_}, sentences * length, heads, repeated_keys_);
  const Rows all_values = repeated({queries + query_width_ + key_width_, self_width_},
                                   sentences * length, heads, repeated_values_);
  for (int64_t n = 0; n < sentences * length; ++n) {
    float* row = queries + n * self_width_;
    if (positions.queries) positions.queries.apply(heads, head_width, n % length, row);
    float* key = all_keys.values + n * all_keys.stride;
    if (positions.keys) positions.keys.apply(heads, head_width, n % length, key);
  }
  const Rows key_rows =
      compressed(positions.key_compression, all_keys, heads, sentences, length, keys, key_rows_);
  const Rows value_rows = compressed(positions.value_compression, all_values, heads, sentences,
                                     length, keys, value_rows_);
  query_offsets_.clear();
  key_offsets_.clear();
  for (int64_t b = 0; b <= sentences; ++b) {
    query_offsets_.push_back(b * length);
    key_offsets_.push_back(b * keys);
  }

  kernels::AttentionForward all;
  all.sizes.sentences = sentences;
  all.sizes.head_width = head_width;
  all.sizes.query_offsets = {query_offsets_.data()};
  all.sizes.key_offsets = {key_offsets_.data()};
  all.sizes.max_queries = length;
  all.sizes.max_keys = keys;
  all.terms = positions.step.terms;
  if (kernels::HeadTable& bias = all.terms.tables.position_bias; bias.data != nullptr) {
    const int64_t own_heads = bias.head_stride == 0 ? 1 : heads;
    float* corner = bias_.reserve(own_heads * length * keys);
    for (int64_t r = 0; r < own_heads * length; ++r) {
      const float* row =
          bias.data + r / length * bias.head_stride + r % length * positions.step.bias_keys;
      std::copy(row, row + keys, corner + r * keys);
    }
    bias = {corner, own_heads == 1 ? 0 : length * keys};
  }
  team_.run([&](int64_t t) {
    const auto share = team_.share(heads, 1, t);
    if (share.first == share.last) return;
    kernels::AttentionForward call = all;
    call.sizes.heads = share.last - share.first;
    call.terms.content_scale += share.first;
    kernels::AttentionTables& tables = call.terms.tables;
    for (const kernels::AttentionTable& row : kernels::kAttentionTables) {
      kernels::HeadTable& table = tables.*row.table;
      if (table.data != nullptr) table.data += share.first * table.head_stride;
    }
    const int64_t column = share.first * head_width;
    call.queries = {queries + column, self_width_};
    call.keys = {key_rows.values + column, key_rows.stride};
    call.values = {value_rows.values + column, value_rows.stride};
    call.output = {mixed_.data() + first_token * query_width_ + column, query_width_};
    kernels::attention_forward_cpu(call);
  });
}

// The same rows if they have so many heads.
ModelRunner::Rows ModelRunner::repeated(const Rows& rows, int64_t count, int64_t heads,
                                        AlignedBuffer<float>& to) const {
  if (heads == weights_.key_heads) return rows;
  const int64_t head_width = weights_.head_width;
  const int64_t group = heads / weights_.key_heads;
  float* out = to.reserve(count * heads * head_width);
  for (int64_t n = 0; n < count; ++n)
    for (int64_t h = 0; h < heads; ++h, out += head_width)
      std::copy_n(rows.values + n * rows.stride + h / group * head_width, head_width, out);
  return {to.data(), heads * head_width};
}

// compression [heads|1, keys, length] times the rows of each sentence; without compression, the
// rows.
ModelRunner::Rows ModelRunner::compressed(const PositionRows& compression, const Rows& rows,
                                          int64_t heads, int64_t sentences, int64_t length,
                                          int64_t keys, AlignedBuffer<float>& to) const {
  if (compression.data == nullptr) return rows;
  const int64_t head_width = weights_.head_width;
  const int64_t width = heads * head_width;
  float* out = to.reserve(sentences * keys * width);
  std::fill(out, out + sentences * keys * width, 0.0F);
  const float* first = rows.values;
  for (int64_t b = 0; b < sentences; ++b, first += length * rows.stride)
    for (int64_t k = 0; k < keys; ++k, out += width)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t j = 0; j < length; ++j) {
          const float weight = compression.at(h, k)[j];
          const float* row = first + j * rows.stride + h * head_width;
          for (int64_t d = 0; d < head_width; ++d) out[h * head_width + d] += weight * row[d];
        }
  return {to.data(), width};
}

// Computes keys and values of cross-attention, in the layout of the step kernel.
void ModelRunner::project_memory(std::span<const EncodeItem> items, int64_t tokens) {
  for (const EncodeItem& item : items) {
    SentenceMemory& memory = *item.memory;
    memory.self = &model_.decoder->of(item.max_target_length);
    memory.cross = &model_.cross->of(std::max(item.max_target_length, length_of(item)));
    memory.keys = memory.cross->keys_of(length_of(item));
    memory.key_stride = kernels::padded_head(memory.keys);
    memory.values_at = memory_heads_ * weights_.head_width * memory.key_stride * number_bytes_;
    memory.layer_bytes = memory.values_at + memory.keys * value_stride_ * number_bytes_;
    memory.bytes.reserve(memory.layer_bytes * static_cast<int64_t>(weights_.decoder.size()));
  }
  if (weights_.decoder.empty()) return;
  kernels::PreparedRows input;
  float prepared_for = 0.0F;  // multiplier
  for (size_t l = 0; l < weights_.decoder.size(); ++l) {
    const LinearWeights& memory = weights_.decoder[l].cross.memory;
    if (l == 0 || memory.weights.input_multiplier != prepared_for) {
      prepared_for = memory.weights.input_multiplier;
      input = prepare(memory, tokens, x_.data());
    }
    linear(memory, input, {.output = projected_.data(), .stride = 2 * key_width_});
    float* projected = projected_.data();
    for (const EncodeItem& item : items) {
      write_memory(item, projected, l);
      projected += length_of(item) * 2 * key_width_;
    }
  }
}

void ModelRunner::write_memory(const EncodeItem& item, float* projected, size_t layer) {
  SentenceMemory& memory = *item.memory;
  const LayerPositions& positions = memory.cross->layers[layer];
  const int64_t stride = 2 * key_width_;
  const int64_t length = length_of(item);
  const NormWeights& norm = weights_.decoder[layer].cross.heads.keys;
  for (int64_t j = 0; j < length; ++j)
    normalize_heads(norm, weights_.key_heads, projected + j * stride);
  const Rows keys = compressed(positions.key_compression,
                               repeated({projected, stride}, length, memory_heads_, repeated_keys_),
                               memory_heads_, 1, length, memory.keys, key_rows_);
  const Rows values = compressed(
      positions.value_compression,
      repeated({projected + key_width_, stride}, length, memory_heads_, repeated_values_),
      memory_heads_, 1, length, memory.keys, value_rows_);
  uint8_t* column = memory.key_columns(layer);
  for (int64_t d = 0; d < memory_heads_ * weights_.head_width;
       ++d, column += memory.key_stride * number_bytes_)
    kernels::step_kernels().cache_column(cache_type_, memory.keys, keys.values + d, keys.stride,
                                         column);
  uint8_t* row = memory.value_rows(layer);
  for (int64_t j = 0; j < memory.keys; ++j, row += value_stride_ * number_bytes_)
    kernels::step_kernels().cache_row(cache_type_, memory_heads_, weights_.head_width,
                                      values.values + j * values.stride, row);
}

}  // namespace dietmt::nmt
