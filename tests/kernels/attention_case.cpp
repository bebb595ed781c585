#include "tests/kernels/attention_case.h"

#include <algorithm>
#include <cstring>

#include "common/random.h"
#include "kernels/attention_tiles.h"
#include "kernels/cuda/elements.h"

namespace dietmt::kernels {
namespace {

// Rows are not adjacent, as when one product yields queries, keys and values.
constexpr int64_t kGap = 8;

double random_value(Random& random) { return 2.0 * random.uniform() - 1.0; }

uint16_t encode(ElementType type, double value) {
  const auto number = static_cast<float>(value);
  return type == ElementType::kHalf ? round_to(Half{}, number) : round_to(BFloat16{}, number);
}

double decode(ElementType type, uint16_t bits) {
  return type == ElementType::kHalf ? to_float(Half{bits}) : to_float(BFloat16{bits});
}

int64_t* make_offsets(Arena& arena, const std::vector<int64_t>& lengths) {
  auto* offsets = arena.take<int64_t>(static_cast<int64_t>(lengths.size()) + 1);
  for (size_t b = 0; b < lengths.size(); ++b) offsets[b + 1] = offsets[b] + lengths[b];
  return offsets;
}

/// With `idle` tiles without rows at the end.
DeviceTiles make_tiles(Arena& arena, std::vector<TileOfSentence> tiles, int64_t idle) {
  constexpr int32_t kPastAll = 100'000;  // so far that reading there ends a program
  tiles.insert(tiles.end(), static_cast<size_t>(idle), {0, kPastAll});
  auto* data = arena.take<TileOfSentence>(std::ssize(tiles));
  std::copy(tiles.begin(), tiles.end(), data);
  return {data, std::ssize(tiles)};
}

DeviceTilings make_tilings(Arena& arena, const std::vector<int64_t>& lengths,
                           const AttentionCaseOptions& options) {
  const std::vector<TileOfSentence> single = single_tiles(lengths);
  DeviceTilings tilings{make_tiles(arena, single, options.idle_tiles), {}};
  if (options.packed)
    tilings.packed = make_tiles(arena, packed_tiles(lengths, single), options.idle_tiles);
  return tilings;
}

}  // namespace

double round_to_type(ElementType type, double value) {
  return type == ElementType::kFloat ? value : decode(type, encode(type, value));
}

HeadRows AttentionCase::make_rows(Arena& arena, int64_t tokens, uint64_t seed) {
  const int64_t stride = options_.heads * options_.width + kGap;
  const int64_t size = std::max<int64_t>(tokens, 1) * stride;
  Random random(seed);
  if (options_.type == ElementType::kFloat) {
    auto* data = arena.take<float>(size);
    std::generate_n(data, size, [&] { return static_cast<float>(1.5 * random_value(random)); });
    return {data, stride};
  }
  auto* data = arena.take<uint16_t>(size);
  std::generate_n(data, size, [&] { return encode(options_.type, 1.5 * random_value(random)); });
  return {data, stride};
}

void AttentionCase::make_table(Arena& arena, HeadTable AttentionTables::*table, int64_t inner,
                               uint64_t seed) {
  const int64_t heads = options_.shared_tables ? 1 : options_.heads;
  const int64_t stride = options_.shared_tables ? 0 : inner;
  auto* data = arena.take<float>(heads * inner);
  auto* grad = arena.take<float>(heads * inner);
  Random random(seed);
  for (int64_t i = 0; i < heads * inner; ++i) {
    data[i] = static_cast<float>(0.7 * random_value(random));
  }
  forward().terms.tables.*table = {data, stride};
  backward_.grad_tables.*table = {grad, stride};
}

void AttentionCase::make_terms(Arena& arena) {
  AttentionTerms& terms = forward().terms;
  const AttentionSizes& sizes = forward().sizes;
  terms.rank = options_.rank;
  terms.bias_clip = options_.clip;
  terms.key_clip = options_.clip + options_.clip_step;
  terms.query_clip = options_.clip + 2 * options_.clip_step;
  terms.value_clip = options_.clip + 3 * options_.clip_step;
  terms.segment_kinds = 3;
  const int64_t width = options_.width;
  const auto add = [&](Term term, const char* name, HeadTable AttentionTables::*table,
                       int64_t inner) {
    if ((options_.terms & term) == 0) return;
    tables_.push_back({name, table, inner});
    make_table(arena, table, inner, 20 + tables_.size());
  };
  add(kPositionBias, "position_bias", &AttentionTables::position_bias,
      sizes.max_queries * sizes.max_keys);
  add(kFeatures, "query_features", &AttentionTables::query_features,
      sizes.max_queries * terms.rank);
  add(kFeatures, "key_features", &AttentionTables::key_features, sizes.max_keys * terms.rank);
  add(kOffsetBias, "offset_bias", &AttentionTables::offset_bias, 2 * terms.bias_clip + 1);
  add(kRelativeKeys, "relative_keys", &AttentionTables::relative_keys,
      (2 * terms.key_clip + 1) * width);
  add(kRelativeQueries, "relative_queries", &AttentionTables::relative_queries,
      (2 * terms.query_clip + 1) * width);
  add(kRelativeValues, "relative_values", &AttentionTables::relative_values,
      (2 * terms.value_clip + 1) * width);
  add(kSegmentBias, "segment_bias", &AttentionTables::segment_bias,
      terms.segment_kinds * terms.segment_kinds);
  if ((options_.terms & kSegmentBias) != 0) {
    auto* segments = arena.take<int64_t>(query_tokens());
    Random random(9);
    for (int64_t n = 0; n < query_tokens(); ++n)
      segments[n] = static_cast<int64_t>(random.below(3));
    terms.segments = segments;
  }
}

AttentionCase::AttentionCase(const AttentionCaseOptions& options, Arena& arena)
    : options_(options) {
  const std::vector<int64_t>& keys = options.keys.empty() ? options.queries : options.keys;
  AttentionSizes& sizes = forward().sizes;
  sizes.type = options.type;
  sizes.sentences = static_cast<int64_t>(options.queries.size());
  sizes.heads = options.heads;
  sizes.head_width = options.width;
  // Both the host and the device can read an arena.
  const int64_t* const query_offsets = make_offsets(arena, options.queries);
  const int64_t* const key_offsets =
      options.keys.empty() ? query_offsets : make_offsets(arena, keys);
  sizes.query_offsets = {query_offsets};
  sizes.key_offsets = {key_offsets};
  sizes.device_query_offsets = {query_offsets};
  sizes.device_key_offsets = {key_offsets};
  sizes.device_query_tiles = make_tilings(arena, options.queries, options);
  sizes.device_key_tiles = make_tilings(arena, keys, options);
  sizes.query_rows = query_tokens();
  sizes.key_rows = key_tokens();
  sizes.max_queries = *std::max_element(options.queries.begin(), options.queries.end());
  sizes.max_keys = *std::max_element(keys.begin(), keys.end());
  sizes.causal = options.causal;
  sizes.dropout = options.dropout;
  constexpr uint64_t kSite = 4;
  auto* const pass_key = arena.take<uint64_t>(1);
  *pass_key = 0x123456789abcdefULL;
  sizes.dropout_key = random_key(*pass_key, kSite);
  sizes.device_dropout_key = {pass_key, kSite};

  forward().queries = make_rows(arena, query_tokens(), 1);
  forward().keys = make_rows(arena, key_tokens(), 2);
  forward().values = make_rows(arena, key_tokens(), 3);
  forward().output = make_rows(arena, query_tokens(), 4);
  if (options.type != ElementType::kFloat)
    forward().output_rest = make_rows(arena, query_tokens(), 10);
  forward().log_normalizer = arena.take<float>(options.heads * query_tokens());
  backward_.grad_output = make_rows(arena, query_tokens(), 5);
  backward_.grad_queries = make_rows(arena, query_tokens(), 6);
  backward_.grad_keys = make_rows(arena, key_tokens(), 7);
  backward_.grad_values = make_rows(arena, key_tokens(), 8);

  auto* scales = arena.take<float>(options.heads);
  for (int64_t h = 0; h < options.heads; ++h) {
    scales[h] = static_cast<float>(0.125 + 0.02 * static_cast<double>(h));
  }
  forward().terms.content_scale = scales;
  make_terms(arena);
}

std::vector<double> AttentionCase::read_rows(const HeadRows& rows, int64_t tokens) const {
  std::vector<double> values;
  for (int64_t n = 0; n < tokens; ++n) {
    for (int64_t i = 0; i < options_.heads * options_.width; ++i) {
      const int64_t element = n * rows.token_stride + i;
      values.push_back(
          options_.type == ElementType::kFloat
              ? static_cast<const float*>(rows.data)[element]
              : decode(options_.type, static_cast<const uint16_t*>(rows.data)[element]));
    }
  }
  return values;
}

std::vector<NamedValues> AttentionCase::results() const {
  const AttentionForward& call = backward_.forward;
  std::vector<NamedValues> results = {
      {"output", read_rows(call.output, query_tokens())},
      {"log_normalizer",
       {call.log_normalizer, call.log_normalizer + options_.heads * query_tokens()}},
      {"grad_queries", read_rows(backward_.grad_queries, query_tokens())},
      {"grad_keys", read_rows(backward_.grad_keys, key_tokens())},
      {"grad_values", read_rows(backward_.grad_values, key_tokens())}};
  for (const Table& table : tables_) {
    const float* grad = (backward_.grad_tables.*table.table).data;
    const int64_t heads = options_.shared_tables ? 1 : options_.heads;
    results.push_back({"grad_" + table.name, {grad, grad + heads * table.inner}});
  }
  return results;
}

}  // namespace dietmt::kernels
