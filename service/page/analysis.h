// POST /v1/analyze (openapi_analyze.json): a model's attention in one sentence, which the page
// draws. The program provides the computation; nothing here includes LibTorch.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "nmt/model/model_files.h"
#include "reporting/sentence_analysis.h"
#include "service/api/call.h"
#include "service/api/language_pairs.h"
#include "service/scheduling/model_spec.h"

namespace dietmt::service {

struct AnalysisRequest {
  std::string model;  // empty: the model for source and target
  std::string source, target;
  std::string text;         // one sentence
  std::string translation;  // the target side; empty: the model's translation
};

/// Parses a JSON body. Throws HttpError and RequestError.
AnalysisRequest parse_analysis_request(const Call& call);

/// Calls `read` with the files of a model, which must have full weights: packed ones work only with
/// the decoding engine. Throws HttpError 400 for these, and Unavailable, with the reason in the
/// log, for a model that cannot be read.
void read_for_analysis(const ModelSpec& spec,
                       const std::function<void(const nmt::ModelFiles&)>& read);

/// The computation, for a model that the server has. Thread-safe.
using Analyse = std::function<reporting::SentenceAnalysis(const ModelSpec& spec,
                                                          const AnalysisRequest& request)>;

class AnalysisRoute {
 public:
  AnalysisRoute(LanguagePairs pairs, Analyse analyse)
      : pairs_(std::move(pairs)), analyse_(std::move(analyse)) {}

  /// Handles the route; thread-safe. Throws HttpError, QueueFull if too many are waiting, and what
  /// the computation throws.
  Answer answer(const Call& call);

 private:
  reporting::SentenceAnalysis analysis_of(const AnalysisRequest& request);

  const LanguagePairs pairs_;
  const Analyse analyse_;
  std::atomic<int64_t> waiting_{0};
};

}  // namespace dietmt::service
