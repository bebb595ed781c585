// All tables of AttentionTables (kernels/attention.h), for code that treats them alike.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/attention.h"

namespace dietmt::kernels {

/// A table of so many pairs of positions of one head still fits into the cache. For more, attention
/// computes the product of features again in each sentence.
inline constexpr int64_t kFewPairs = 1024 * 1024;

/// The meaning of the numbers of one head.
enum class TableRows {
  kPairs,          // [T, S]
  kQueries,        // [T, R]
  kKeys,           // [S, R]
  kOffsets,        // [2C+1]
  kOffsetVectors,  // [2C+1, Dh]
  kSegmentPairs,   // [G, G]
};

struct AttentionTable {
  HeadTable AttentionTables::*table;
  TableRows rows;
  int64_t AttentionTerms::*size;  // of C, R or G; null: the rows have none
  bool by_key = false;  // keys meet its rows: their gradients are sums over the queries of a key
};

inline constexpr std::array kAttentionTables = {
    AttentionTable{&AttentionTables::position_bias, TableRows::kPairs, nullptr},
    AttentionTable{&AttentionTables::query_features, TableRows::kQueries, &AttentionTerms::rank},
    AttentionTable{&AttentionTables::key_features, TableRows::kKeys, &AttentionTerms::rank, true},
    AttentionTable{&AttentionTables::offset_bias, TableRows::kOffsets, &AttentionTerms::bias_clip},
    AttentionTable{&AttentionTables::relative_keys, TableRows::kOffsetVectors,
                   &AttentionTerms::key_clip},
    AttentionTable{&AttentionTables::relative_queries, TableRows::kOffsetVectors,
                   &AttentionTerms::query_clip, true},
    AttentionTable{&AttentionTables::relative_values, TableRows::kOffsetVectors,
                   &AttentionTerms::value_clip},
    AttentionTable{&AttentionTables::segment_bias, TableRows::kSegmentPairs,
                   &AttentionTerms::segment_kinds}};

static_assert(sizeof(AttentionTables) == kAttentionTables.size() * sizeof(HeadTable),
              "kAttentionTables must list every table");

constexpr bool has_offsets(TableRows rows) {
  return rows == TableRows::kOffsets || rows == TableRows::kOffsetVectors;
}

/// Rows that belong to positions; each tile of scores owns its rows.
constexpr bool has_positions(TableRows rows) {
  return rows == TableRows::kPairs || rows == TableRows::kQueries || rows == TableRows::kKeys;
}

/// The numbers of one head.
inline int64_t numbers_per_head(const AttentionTable& table, const AttentionSizes& sizes,
                                const AttentionTerms& terms) {
  const int64_t size = table.size == nullptr ? 0 : terms.*table.size;
  switch (table.rows) {
    case TableRows::kPairs:
      return sizes.max_queries * sizes.max_keys;
    case TableRows::kQueries:
      return sizes.max_queries * size;
    case TableRows::kKeys:
      return sizes.max_keys * size;
    case TableRows::kOffsets:
      return 2 * size + 1;
    case TableRows::kOffsetVectors:
      return (2 * size + 1) * sizes.head_width;
    case TableRows::kSegmentPairs:
      return size * size;
  }
  return 0;
}

/// Whether blocks of a device may take several sentences at a time. Tables over positions need a
/// tile for each sentence. Offsets and causal masks need queries and keys of the same sentences:
/// there, key - query is the same within a sentence and within the tile. An infinity, which fp16
/// has soon, would spread over the tile: 0 times the neighbour's values is not 0.
inline bool may_pack_sentences(const AttentionForward& call) {
  const AttentionSizes& sizes = call.sizes;
  if (sizes.type == ElementType::kHalf) return false;
  const bool same_sentences = sizes.device_query_offsets.data == sizes.device_key_offsets.data;
  if (sizes.causal && !same_sentences) return false;
  for (const AttentionTable& row : kAttentionTables) {
    if ((call.terms.tables.*row.table).data == nullptr) continue;
    if (has_positions(row.rows) || !same_sentences) return false;
  }
  return sizes.device_query_tiles.packed.count > 0 && sizes.device_key_tiles.packed.count > 0;
}

/// Whether they do. A packed tile costs more than a tile of one sentence, because its rows see only
/// some of its columns.
inline bool packs_sentences(const AttentionForward& call) {
  const auto has_fewer = [](const DeviceTilings& tiles) {
    return 4 * tiles.packed.count <= 3 * tiles.single.count;
  };
  return may_pack_sentences(call) && has_fewer(call.sizes.device_query_tiles) &&
         has_fewer(call.sizes.device_key_tiles);
}

}  // namespace dietmt::kernels
