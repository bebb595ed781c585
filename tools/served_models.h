// What a server does with its models.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nmt/translation/loaded_decoder.h"
#include "service/api/quality_estimates.h"
#include "service/page/analysis.h"
#include "service/scheduling/model_spec.h"
#include "tools/serve_options.h"

namespace dietmt::tools {

class ServedModels {
 public:
  virtual ~ServedModels() = default;

  /// Reads the model, also one that was replaced on disk.
  virtual nmt::LoadedDecoder load(const service::ModelSpec& spec) = 0;

  /// Thread-safe. Throws what service::read_for_analysis() and inspection::analyse_sentence()
  /// throw.
  virtual reporting::SentenceAnalysis analyse(const service::ModelSpec& spec,
                                              const service::AnalysisRequest& request) = 0;

  /// The estimates of --quality-model; null without it.
  virtual std::shared_ptr<service::QualityEstimates> quality() { return nullptr; }
};

/// To be called once, before the server opens anything. dietmt-serve decodes packed models; for
/// others it replaces itself with dietmt-torch, to run with `arguments`.
std::unique_ptr<ServedModels> served_models(const ServeOptions& options,
                                            const std::vector<service::ModelSpec>& specs,
                                            const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
