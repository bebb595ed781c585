// All terms of ScoreTerms, for head mixes, recomputed layers and fused backends. A new one needs
// its arithmetic in encoders/attention/reference_backend.cpp. Assertions and tests ask for the
// rest: its row here, its table in nmt/engine/position_terms.h, a line in
// ctranslate2_positions.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "encoders/position/score_terms.h"
#include "kernels/attention_tables.h"

namespace dietmt::encoders {

/// How tables of heads with different encodings become as large as the largest of them.
enum class MixRule {
  kSame,         // they have the same size already
  kRepeatEnds,   // offsets beyond a table read its end entries
  kRepeatLast,   // contextual positions beyond a table read its last entry
  kAppendZeros,  // products of features of different rank agree after zeros
  kExpandRows,   // one row serves all positions
  kRefuse,       // it replaces the keys of all heads
};

struct Term {
  at::Tensor ScoreTerms::*table;
  const char* name;
  /// Where the fused kernels read it; null: it acts before them, or they do not know it.
  kernels::HeadTable kernels::AttentionTables::*kernel_table;
  const char* content;  // how it acts through the words; null: it depends on positions only
  MixRule mix;
  int64_t mixed_dim;    // the dimension that the rule makes as large as the largest
  double absent = 0.0;  // in a mix, the value of heads without the term
  bool has_gradient = true;
};

inline constexpr std::array kTerms = {
    Term{&ScoreTerms::position_bias, "position_bias", &kernels::AttentionTables::position_bias,
         nullptr, MixRule::kSame, 1},
    Term{&ScoreTerms::query_features, "query_features", &kernels::AttentionTables::query_features,
         nullptr, MixRule::kAppendZeros, 2},
    Term{&ScoreTerms::key_features, "key_features", &kernels::AttentionTables::key_features,
         nullptr, MixRule::kAppendZeros, 2},
    Term{&ScoreTerms::offset_bias, "offset_bias", &kernels::AttentionTables::offset_bias, nullptr,
         MixRule::kRepeatEnds, 1},
    Term{&ScoreTerms::relative_keys, "relative_keys", &kernels::AttentionTables::relative_keys,
         "relative keys", MixRule::kRepeatEnds, 1},
    Term{&ScoreTerms::relative_queries, "relative_queries",
         &kernels::AttentionTables::relative_queries, "relative queries", MixRule::kRepeatEnds, 1},
    Term{&ScoreTerms::relative_values, "relative_values",
         &kernels::AttentionTables::relative_values, "relative values", MixRule::kRepeatEnds, 1},
    Term{&ScoreTerms::segment_bias, "segment_bias", &kernels::AttentionTables::segment_bias,
         nullptr, MixRule::kSame, 1},
    Term{&ScoreTerms::contextual, "contextual", nullptr, "contextual positions",
         MixRule::kRepeatLast, 1},
    Term{&ScoreTerms::query_shift, "query_shift", nullptr, "shifts of queries or keys",
         MixRule::kExpandRows, 1},
    Term{&ScoreTerms::key_shift, "key_shift", nullptr, "shifts of queries or keys",
         MixRule::kExpandRows, 1},
    Term{&ScoreTerms::query_cosines, "query_cosines", nullptr, "rotation", MixRule::kSame, 1, 1.0,
         false},
    Term{&ScoreTerms::query_sines, "query_sines", nullptr, "rotation", MixRule::kSame, 1, 0.0,
         false},
    Term{&ScoreTerms::key_cosines, "key_cosines", nullptr, "rotation", MixRule::kSame, 1, 1.0,
         false},
    Term{&ScoreTerms::key_sines, "key_sines", nullptr, "rotation", MixRule::kSame, 1, 0.0, false},
    Term{&ScoreTerms::key_compression, "key_compression", nullptr, "compression of keys",
         MixRule::kRefuse, 1},
    Term{&ScoreTerms::value_compression, "value_compression", nullptr, "compression of keys",
         MixRule::kRefuse, 1}};

/// The term that the fused kernels read from `table`.
constexpr const Term& term_of(kernels::HeadTable kernels::AttentionTables::*table) {
  size_t t = 0;
  while (kTerms[t].kernel_table != table) ++t;  // beyond the end: no constant, does not compile
  return kTerms[t];
}

namespace term_table {

constexpr bool all_different() {
  for (size_t a = 0; a < kTerms.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (kTerms[a].table == kTerms[b].table ||
          (kTerms[a].kernel_table != nullptr && kTerms[a].kernel_table == kTerms[b].kernel_table))
        return false;
  return true;
}

/// Each table of the kernels belongs to one term, and is mixed by offsets if it has offsets.
constexpr bool kernels_agree() {
  for (const kernels::AttentionTable& table : kernels::kAttentionTables)
    if (kernels::has_offsets(table.rows) != (term_of(table.table).mix == MixRule::kRepeatEnds))
      return false;
  return true;
}

static_assert(sizeof(ScoreTerms) ==
                  kTerms.size() * sizeof(at::Tensor) + sizeof(ScoreTerms::content_scale) +
                      sizeof(ScoreTerms::pairing) + sizeof(ScoreTerms::untied_vectors),
              "kTerms must list every table of ScoreTerms");
static_assert(all_different());
static_assert(kernels_agree());

}  // namespace term_table

}  // namespace dietmt::encoders
