// The attention of a translation model in one sentence, which the web page draws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::reporting {

/// Matrices of all layers and heads: [layers, heads, rows, columns]. Empty if a stack has none.
struct HeadMatrices {
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t rows = 0;     // queries
  int64_t columns = 0;  // keys
  std::vector<float> values;
};

struct SentenceAnalysis {
  std::string model;
  std::vector<std::string> source_tokens;  // S pieces, end of sentence included
  std::vector<std::string>
      target_tokens;               // T pieces that queries predict, end of sentence included
  HeadMatrices encoder_attention;  // probabilities, [L, H, S, S]
  // [L, H, T, T]; keys: begin of sentence, then all pieces but the last
  HeadMatrices decoder_attention;
  HeadMatrices cross_attention;  // [L, H, T, S]
  /// The position part of the attention scores (encoders/analysis/position_scores.h); finite, 0 if
  /// a query does not see a key. Empty for encodings without such a part.
  HeadMatrices encoder_positions;  // [L, H, S, S]
  HeadMatrices decoder_positions;  // [L, H, T, T]
};

/// The analysis as JSON (openapi_analyze.json), with numbers rounded to four decimals.
std::string to_json(const SentenceAnalysis& analysis);

}  // namespace dietmt::reporting
