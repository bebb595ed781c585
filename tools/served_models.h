// What a server does with its models.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nmt/model/model_files.h"
#include "nmt/translation/loaded_decoder.h"
#include "service/page/analysis.h"
#include "service/scheduling/model_spec.h"
#include "tools/serve_options.h"

namespace dietmt::tools {

class ServedModels {
 public:
  virtual ~ServedModels() = default;

  /// Reads the model, also one that was replaced on disk.
  virtual nmt::LoadedDecoder load(const service::ModelSpec& spec) = 0;

  /// Thread-safe. Throws what read_for_analysis() and inspection::analyse_sentence() throw.
  virtual service::Analysis analyse(const service::ModelSpec& spec,
                                    const service::AnalysisRequest& request) = 0;
};

/// To be called once, before the server opens anything. dietmt-serve decodes packed models; for
/// others it replaces itself with dietmt-torch, to run with `arguments`.
std::unique_ptr<ServedModels> served_models(const ServeOptions& options,
                                            const std::vector<service::ModelSpec>& specs,
                                            const std::vector<std::string>& arguments);

/// Calls `read` with the files of a model, which must have full weights: packed ones are for the
/// decoding engine only. Throws HttpError 400 for these, and Unavailable, with the reason in the
/// log, for a model that cannot be read.
void read_for_analysis(const service::ModelSpec& spec,
                       const std::function<void(const nmt::ModelFiles&)>& read);

}  // namespace dietmt::tools
