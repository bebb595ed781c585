// /v1/analyze of `dietmt serve`: how a model looks at one sentence.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "nmt/network/model_directory.h"
#include "service/api/call.h"
#include "service/api/language_pairs.h"
#include "service/page/analysis.h"

namespace dietmt::tools {

/// Analyses one sentence at a time. The decoding engine keeps no attention, so the trainable model
/// is loaded at its first analysis; the model of the last analysis stays in memory.
class ServeAnalysis {
 public:
  explicit ServeAnalysis(std::vector<service::ModelSpec> specs) : pairs_(std::move(specs)) {}

  /// The handler of the route, thread-safe. Throws HttpError (400 for a quantized model too),
  /// Unavailable for a model that cannot be read, and QueueFull if too many wait.
  service::Answer answer(const service::Call& call);

  /// Reloads the model of this name when it is next needed: it was replaced on disk.
  void forget(const std::string& name);

 private:
  service::Analysis analyse(service::AnalysisRequest request);
  const nmt::LoadedModel& model(const service::ModelSpec& spec);

  const service::LanguagePairs pairs_;
  std::atomic<int64_t> waiting_{0};
  std::mutex mutex_;  // guards the members below
  std::string name_;
  std::optional<nmt::LoadedModel> model_;
};

}  // namespace dietmt::tools
