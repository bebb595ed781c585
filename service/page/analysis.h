// POST /v1/analyze (openapi_analyze.json): the attention of a model in one sentence, which the page
// draws. The program provides the computation; nothing here includes LibTorch.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "nmt/model/model_files.h"
#include "service/api/call.h"
#include "service/api/language_pairs.h"
#include "service/scheduling/model_spec.h"

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

/// Calls `read` with the files of a model, which must have full weights: packed ones are for the
/// decoding engine only. Throws HttpError 400 for these, and Unavailable, with the reason in the
/// log, for a model that cannot be read.
void read_for_analysis(const ModelSpec& spec,
                       const std::function<void(const nmt::ModelFiles&)>& read);

/// The computation, for a model that the server has. Thread-safe.
using Analyse = std::function<Analysis(const ModelSpec& spec, const AnalysisRequest& request)>;

/// The route.
class AnalysisRoute {
 public:
  AnalysisRoute(std::vector<ModelSpec> specs, Analyse analyse)
      : pairs_(std::move(specs)), analyse_(std::move(analyse)) {}

  /// The handler of the route, thread-safe. Throws HttpError, QueueFull if too many wait, and what
  /// the computation throws.
  Answer answer(const Call& call);

 private:
  Analysis analysis_of(AnalysisRequest request);

  const LanguagePairs pairs_;
  const Analyse analyse_;
  std::atomic<int64_t> waiting_{0};
};

}  // namespace dietmt::service
