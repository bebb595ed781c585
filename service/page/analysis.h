// POST /v1/analyze (openapi_analyze.json): how a model looks at one sentence. The page draws it.
// What computes it needs the model and is given by the program; nothing here includes LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::service {

struct AnalysisRequest {
  std::string model;  // its name, or empty: that of source and target
  std::string source, target;
  std::string text;         // one sentence
  std::string translation;  // the target side to look at; empty: the model's own translation
};

/// Matrices of all layers and heads: [layers, heads, rows, columns]. Empty where a stack has none.
struct HeadMatrices {
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t rows = 0;     // queries
  int64_t columns = 0;  // keys
  std::vector<float> values;
};

struct Analysis {
  std::string model;
  std::vector<std::string> source_tokens;  // S pieces, end of sentence included
  std::vector<std::string>
      target_tokens;               // T pieces that queries predict, end of sentence included
  HeadMatrices encoder_attention;  // probabilities, [L, H, S, S]
  HeadMatrices
      decoder_attention;  // [L, H, T, T]; keys: begin of sentence, then all pieces but the last
  HeadMatrices cross_attention;  // [L, H, T, S]
  /// What positions alone add to the scores (encoders/analysis/position_scores.h); finite, 0 where
  /// a query does not see a key. Empty for encodings that have no such part.
  HeadMatrices encoder_positions;  // [L, H, S, S]
  HeadMatrices decoder_positions;  // [L, H, T, T]
};

/// Tokens of a side: what a page can show, and what a request may cost.
constexpr int64_t kLargestAnalysis = 128;

/// The request of a JSON body. Throws RequestError with one sentence for the client.
AnalysisRequest parse_analysis_request(const std::string& body);

/// The answer as JSON; numbers are rounded to four decimals.
std::string analysis_json(const Analysis& analysis);

}  // namespace dietmt::service
