// The position terms of one attention site as tables of numbers, named as in
// encoders/position/score_terms.h. They come from a model's encodings (lower_positions.h) or from a
// file (stored_positions.h); the engine reads them as pointers (position_tables.h). For most
// encodings, the tables for short sentences are parts of the tables for longer ones.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nmt/engine/engine_model.h"
#include "nmt/engine/position_tables.h"

namespace dietmt::nmt {

/// [heads, rows, width] numbers, contiguous rows; no heads: absent.
struct TermTable {
  const float* data = nullptr;
  int64_t heads = 0;  // 1: all heads share one table
  int64_t rows = 0;
  int64_t width = 0;
  int64_t head_stride = 0;  // rows * width; more in a part of a larger table
  bool grows = false;       // shorter sentences read a part, not the whole table

  explicit operator bool() const { return heads > 0; }
};

/// What the rows of a table stand for; this decides which rows shorter sentences read.
enum class TermRows {
  kPositions,  // 0 .. length - 1, or one row for all
  kOffsets,    // -C .. C
  kVectors,    // -C .. C, vectors that decoding steps read padded with zeros
  kSteps,      // contextual positions, also padded vectors; the same for all lengths
  kSentence    // depends on the whole sentence
};

struct LayerTerms {
  std::vector<float> content_scale;  // [H]
  std::vector<bool> halved;          // [H]: rotated pairs are m and m + Dh/2, not 2m and 2m + 1
  TermTable position_bias, query_features, key_features, offset_bias;
  TermTable relative_keys, relative_queries, relative_values, contextual;
  TermTable query_shift, key_shift, query_cosines, query_sines, key_cosines, key_sines;
  TermTable key_compression, value_compression;
};

/// Calls visit(name, table, rows) for each table of a LayerTerms, or of a ScoreTerms. A new term
/// needs a line here, a field in LayerTerms and its place in layer_positions(); the tests
/// TermTables find what is missing.
template <typename Terms, typename Visit>
void visit_tables(Terms& terms, const Visit& visit) {
  visit("position_bias", terms.position_bias, TermRows::kSentence);
  visit("query_features", terms.query_features, TermRows::kPositions);
  visit("key_features", terms.key_features, TermRows::kPositions);
  visit("offset_bias", terms.offset_bias, TermRows::kOffsets);
  visit("relative_keys", terms.relative_keys, TermRows::kVectors);
  visit("relative_queries", terms.relative_queries, TermRows::kVectors);
  visit("relative_values", terms.relative_values, TermRows::kVectors);
  visit("contextual", terms.contextual, TermRows::kSteps);
  visit("query_shift", terms.query_shift, TermRows::kPositions);
  visit("key_shift", terms.key_shift, TermRows::kPositions);
  visit("query_cosines", terms.query_cosines, TermRows::kPositions);
  visit("query_sines", terms.query_sines, TermRows::kPositions);
  visit("key_cosines", terms.key_cosines, TermRows::kPositions);
  visit("key_sines", terms.key_sines, TermRows::kPositions);
  visit("key_compression", terms.key_compression, TermRows::kSentence);
  visit("value_compression", terms.value_compression, TermRows::kSentence);
}

struct SiteTerms {
  int64_t length = 0;
  TermTable embedding;  // [1, length, D]
  std::vector<LayerTerms> layers;
  std::vector<std::shared_ptr<const void>> storage;  // owns what the tables point to
};

/// The sizes of the tables of a site.
struct SiteSizes {
  int64_t layers = 0;
  int64_t width = 0;  // D
  int64_t heads = 0;
  int64_t head_width = 0;    // Dh
  int64_t vector_width = 0;  // of relative and contextual vectors: Dh, or more with padding
};

/// For the attention of an encoder, and of a decoder, whose steps read padded vectors.
SiteSizes encoder_sizes(const EngineWeights& weights);
SiteSizes decoder_sizes(const EngineWeights& weights);

/// The parts of the tables that sentences of up to `length` tokens read; at most terms.length.
SiteTerms part_of(const SiteTerms& terms, int64_t length);

/// With the product of the features added to the position bias, for up to kernels::kFewPairs pairs
/// of positions. Layers that share them share the sum.
SiteTerms multiply_features(SiteTerms terms);

/// Whether both hold the same numbers.
bool equal(const SiteTerms& a, const SiteTerms& b);

/// The terms as the engine reads them. Keeps their storage alive.
std::unique_ptr<SitePositions> site_positions(const SiteTerms& terms);

}  // namespace dietmt::nmt
