// Lines of a batch job through the same models and queues that answer requests.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "service/api/language_pairs.h"
#include "service/api/service_limits.h"
#include "service/scheduling/model_registry.h"

namespace dietmt::service {

/// Which model; what `decoding` holds has the names and the checks of /v1/translate.
struct LineRequest {
  std::string model;  // empty: the one for the languages
  std::string source;
  std::string target;
};

class LineTranslator {
 public:
  LineTranslator(ModelRegistry& models, const ServiceLimits& limits)
      : models_(models), pairs_(models.specs()), limits_(limits) {}

  /// Throws HttpError for a request that translate() could not serve: no such model, a wrong
  /// option.
  void check(const LineRequest& request, const nlohmann::json& decoding) const;

  /// The translation of each line, as one sentence each or, with "split_sentences" true in
  /// `decoding`, sentence by sentence. Waits where the queue is full. Throws ClientGone soon after
  /// `cancelled` says so, Unavailable, and what the decoder fails with.
  std::vector<std::string> translate(const LineRequest& request, const nlohmann::json& decoding,
                                     const std::vector<std::string>& lines,
                                     const std::function<bool()>& cancelled) const;

 private:
  const ModelSpec& model_of(const LineRequest& request) const;

  ModelRegistry& models_;
  const LanguagePairs pairs_;
  const ServiceLimits limits_;
};

}  // namespace dietmt::service
