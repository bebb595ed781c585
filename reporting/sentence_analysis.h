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

/// S: pieces of the source, T: pieces that queries predict, both with end of sentence; L layers
/// with H heads. A decoder's keys are begin of sentence and all pieces but the last.
struct SentenceAnalysis {
  std::string model;
  std::vector<std::string> source_tokens;  // S
  std::vector<std::string> target_tokens;  // T

  /// Probabilities.
  HeadMatrices encoder_attention;  // [L, H, S, S]
  HeadMatrices decoder_attention;  // [L, H, T, T]
  HeadMatrices cross_attention;    // [L, H, T, S]

  /// The position part of the attention scores (encoders/analysis/position_scores.h); finite, 0 if
  /// a query does not see a key. Empty for encodings without such a part.
  HeadMatrices encoder_positions;  // [L, H, S, S]
  HeadMatrices decoder_positions;  // [L, H, T, T]
};

/// The analysis as JSON (openapi_analyze.json), with numbers rounded to four decimals.
std::string to_json(const SentenceAnalysis& analysis);

}  // namespace dietmt::reporting
