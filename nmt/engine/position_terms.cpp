#include "nmt/engine/position_terms.h"

#include <algorithm>
#include <cstring>

#include "kernels/attention_tables.h"
#include "kernels/packed_linear.h"
#include "nmt/engine/aligned_buffer.h"

namespace dietmt::nmt {
namespace {

TermTable part_of(const TermTable& table, TermRows rows, int64_t length) {
  TermTable part = table;
  if (!table.grows) return part;
  if (rows == TermRows::kPositions) {
    part.rows = std::min(table.rows, length);
  } else if (rows == TermRows::kOffsets || rows == TermRows::kVectors) {
    const int64_t clip = std::min(table.rows / 2, length - 1);
    part.rows = 2 * clip + 1;
    part.data += (table.rows / 2 - clip) * table.width;
  }
  return part;
}

bool equal(const TermTable& a, const TermTable& b) {
  if (a.heads != b.heads || a.rows != b.rows || a.width != b.width) return false;
  const size_t bytes = static_cast<size_t>(a.rows * a.width) * sizeof(float);
  for (int64_t h = 0; h < a.heads; ++h) {
    if (std::memcmp(a.data + h * a.head_stride, b.data + h * b.head_stride, bytes) != 0)
      return false;
  }
  return true;
}

std::vector<TermTable> tables_of(const LayerTerms& layer) {
  std::vector<TermTable> all;
  visit_tables(layer, [&](const char*, const TermTable& table, TermRows) { all.push_back(table); });
  return all;
}

bool equal(const LayerTerms& a, const LayerTerms& b) {
  return a.content_scale == b.content_scale && a.halved == b.halved &&
         std::ranges::equal(
             tables_of(a), tables_of(b),
             [](const TermTable& left, const TermTable& right) { return equal(left, right); });
}

PositionRows rows_of(const TermTable& table) {
  return {table.data, table.heads == 1 ? 0 : table.head_stride, table.rows == 1 ? 0 : table.width};
}

// The kernels only read tables; the struct is not const because gradients use it, too.
kernels::HeadTable head_table(const TermTable& table) {
  return {const_cast<float*>(table.data), rows_of(table).head_stride};
}

// sum[i, j] = queries[i] . keys[j] [+ bias[i, j]], of one head.
void multiply(const LayerTerms& layer, int64_t head, float* sum) {
  const TermTable &queries = layer.query_features, &keys = layer.key_features;
  constexpr kernels::WeightType kType = kernels::WeightType::kFloat;
  MemoryBlock panels;
  panels.resize(kernels::packed_bytes(kType, keys.rows, keys.width));
  kernels::pack_weights(kType, keys.rows, keys.width, rows_of(keys).at(head, 0), keys.width,
                        panels.data(), nullptr, nullptr);
  const kernels::PackedWeights weights{
      .type = kType, .outputs = keys.rows, .inputs = keys.width, .panels = panels.data()};
  const kernels::PreparedRows rows = kernels::linear_kernels().prepare_rows(
      kType, queries.rows, queries.width, rows_of(queries).at(head, 0), queries.width, nullptr,
      0.0F);
  kernels::linear_kernels().linear(
      {.weights = &weights,
       .input = &rows,
       .residual = layer.position_bias ? rows_of(layer.position_bias).at(head, 0) : nullptr,
       .residual_stride = keys.rows,
       .output = sum,
       .output_stride = keys.rows});
}

// The position bias, if any, and the product of the features: [H|1, T, S].
TermTable sum_of(const LayerTerms& layer, std::vector<std::shared_ptr<const void>>& storage) {
  const TermTable &queries = layer.query_features, &keys = layer.key_features;
  const int64_t heads = std::max({queries.heads, keys.heads, layer.position_bias.heads});
  const int64_t pairs = queries.rows * keys.rows;
  const auto sum = std::make_shared<std::vector<float>>(static_cast<size_t>(heads * pairs));
  for (int64_t h = 0; h < heads; ++h) multiply(layer, h, sum->data() + h * pairs);
  storage.push_back(sum);
  return {sum->data(), heads, queries.rows, keys.rows, pairs};
}

bool have_the_same_sum(const LayerTerms& a, const LayerTerms& b) {
  return a.query_features.data == b.query_features.data &&
         a.key_features.data == b.key_features.data && a.position_bias.data == b.position_bias.data;
}

LayerPositions layer_positions(const LayerTerms& from, const float* content_scale) {
  LayerPositions layer;
  kernels::AttentionTerms& scores = layer.step.terms;
  scores.content_scale = content_scale;
  scores.tables.position_bias = head_table(from.position_bias);
  layer.step.bias_keys = from.position_bias.width;
  scores.tables.query_features = head_table(from.query_features);
  scores.tables.key_features = head_table(from.key_features);
  scores.rank = from.query_features.width;
  scores.tables.offset_bias = head_table(from.offset_bias);
  scores.bias_clip = from.offset_bias.rows / 2;
  scores.tables.relative_keys = head_table(from.relative_keys);
  scores.key_clip = from.relative_keys.rows / 2;
  scores.tables.relative_queries = head_table(from.relative_queries);
  scores.query_clip = from.relative_queries.rows / 2;
  scores.tables.relative_values = head_table(from.relative_values);
  scores.value_clip = from.relative_values.rows / 2;
  layer.step.contextual = head_table(from.contextual);
  layer.step.contextual_positions = from.contextual.rows;
  layer.queries = {rows_of(from.query_shift), rows_of(from.query_cosines),
                   rows_of(from.query_sines), from.halved};
  layer.keys = {rows_of(from.key_shift), rows_of(from.key_cosines), rows_of(from.key_sines),
                from.halved};
  layer.key_compression = rows_of(from.key_compression);
  layer.value_compression = rows_of(from.value_compression);
  return layer;
}

}  // namespace

SiteSizes encoder_sizes(const EngineWeights& weights) {
  return {static_cast<int64_t>(weights.encoder.size()), weights.width, weights.heads,
          weights.head_width, weights.head_width};
}

SiteSizes decoder_sizes(const EngineWeights& weights) {
  return {static_cast<int64_t>(weights.decoder.size()), weights.width, weights.heads,
          weights.head_width, kernels::padded_head(weights.head_width)};
}

SiteTerms part_of(const SiteTerms& terms, int64_t length) {
  SiteTerms part = terms;
  part.length = length;
  part.embedding = part_of(terms.embedding, TermRows::kPositions, length);
  for (LayerTerms& layer : part.layers) {
    visit_tables(layer, [&](const char*, TermTable& table, TermRows rows) {
      table = part_of(table, rows, length);
    });
  }
  return part;
}

SiteTerms multiply_features(SiteTerms terms) {
  LayerTerms multiplied;  // the last layer that was, as it was given
  TermTable sum;
  for (LayerTerms& layer : terms.layers) {
    if (!layer.query_features) continue;
    if (layer.query_features.rows * layer.key_features.rows > kernels::kFewPairs) continue;
    if (!have_the_same_sum(multiplied, layer)) {
      multiplied = layer;
      sum = sum_of(layer, terms.storage);
    }
    layer.position_bias = sum;
    layer.query_features = layer.key_features = {};
  }
  return terms;
}

bool equal(const SiteTerms& a, const SiteTerms& b) {
  return a.length == b.length && equal(a.embedding, b.embedding) &&
         std::ranges::equal(
             a.layers, b.layers,
             [](const LayerTerms& left, const LayerTerms& right) { return equal(left, right); });
}

std::unique_ptr<SitePositions> site_positions(const SiteTerms& terms) {
  auto site = std::make_unique<SitePositions>();
  site->embedding = terms.embedding.data;
  site->storage = terms.storage;
  for (const LayerTerms& layer : terms.layers) {
    const auto scale = std::make_shared<const std::vector<float>>(layer.content_scale);
    site->storage.push_back(scale);
    site->compressed_keys = layer.key_compression.rows;
    site->layers.push_back(layer_positions(layer, scale->data()));
  }
  return site;
}

}  // namespace dietmt::nmt
