// POST /v1/analyze (openapi_analyze.json): the attention of a model in one sentence, which the page
// draws. The program provides the computation; nothing here includes LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::service {

struct AnalysisRequest {
  std::string model;  // empty: the model for source and target
  std::string source, target;
  std::string text;         // one sentence
  std::string translation;  // the target side; empty: the model's own translation
};

/// Matrices of all layers and heads: [layers, heads, rows, columns]. Empty if a stack has none.
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
  /// The position part of the attention scores (encoders/analysis/position_scores.h); finite, 0 if
  /// a query does not see a key. Empty for encodings without such a part.
  HeadMatrices encoder_positions;  // [L, H, S, S]
  HeadMatrices decoder_positions;  // [L, H, T, T]
};

/// Tokens per side, limited by what the page can show and by the cost of a request.
constexpr int64_t kLargestAnalysis = 128;

/// Parses a JSON body. Throws RequestError.
AnalysisRequest parse_analysis_request(const std::string& body);

/// The answer as JSON, with numbers rounded to four decimals.
std::string analysis_json(const Analysis& analysis);

}  // namespace dietmt::service
