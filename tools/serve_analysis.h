// /v1/analyze of `dietmt serve`: how a model looks at one sentence.
#pragma once

#include <atomic>

#include "service/api/call.h"
#include "service/api/language_pairs.h"
#include "tools/served_models.h"

namespace dietmt::tools {

class ServeAnalysis {
 public:
  /// `models` must outlive this.
  ServeAnalysis(std::vector<service::ModelSpec> specs, ServedModels& models)
      : pairs_(std::move(specs)), models_(models) {}

  /// The handler of the route, thread-safe. Throws HttpError (400 for a quantized model too),
  /// Unavailable for a model that cannot be read, and QueueFull if too many wait.
  service::Answer answer(const service::Call& call);

 private:
  service::Analysis analyse(service::AnalysisRequest request);

  const service::LanguagePairs pairs_;
  ServedModels& models_;
  std::atomic<int64_t> waiting_{0};
};

}  // namespace dietmt::tools
