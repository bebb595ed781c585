#include "tools/serve_analysis.h"

#include <spdlog/spdlog.h>

#include "inspection/sentence_analysis.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::tools {
namespace {

constexpr int64_t kMostWaiting = 16;

struct Count {
  explicit Count(std::atomic<int64_t>& number) : counted(number), before(number++) {}
  ~Count() { --counted; }
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;

  std::atomic<int64_t>& counted;
  const int64_t before;
};

// A quantized model has weights for the decoding engine only.
void require_full_weights(const nmt::ModelFiles& files, const std::string& name) {
  if (files.quantization.empty()) return;
  throw service::HttpError::of_option("model",
                                      "model '" + name + "' has " + files.quantization +
                                          " weights, which support translation but not analysis");
}

// A request that names a model may name its languages too.
void check_languages(const service::AnalysisRequest& request, const service::ModelSpec& spec) {
  const auto is_other = [](const std::string& given, const std::string& language) {
    return !given.empty() && given != language;
  };
  if (!is_other(request.source, spec.source) && !is_other(request.target, spec.target)) return;
  throw service::HttpError::of_option("model", "model '" + spec.name + "' translates " +
                                                   spec.source + " to " + spec.target +
                                                   "; leave source and target out");
}

}  // namespace

service::Answer ServeAnalysis::answer(const service::Call& call) {
  const Count count(waiting_);
  if (count.before >= kMostWaiting)
    throw service::QueueFull("too many sentences are waiting for analysis; try again later", 1);
  return {.body = service::analysis_json(analyse(service::parse_analysis_request(call.body)))};
}

service::Analysis ServeAnalysis::analyse(service::AnalysisRequest request) {
  const service::ModelSpec& spec = request.model.empty()
                                       ? pairs_.model_of(request.source, request.target)
                                       : pairs_.model_named(request.model);
  check_languages(request, spec);
  request.model = spec.name;
  const std::lock_guard lock(mutex_);
  return inspection::analyse_sentence(model(spec), request);
}

// Called with the lock held.
const nmt::LoadedModel& ServeAnalysis::model(const service::ModelSpec& spec) {
  if (model_ && name_ == spec.name) return *model_;
  model_.reset();
  try {
    require_full_weights(nmt::open_model(spec.directory), spec.name);
    model_ = nmt::load_model(spec.directory);
  } catch (const service::HttpError&) {
    throw;
  } catch (const Error& error) {
    spdlog::error("model {}, for /v1/analyze: {}", spec.name, error.what());
    throw service::Unavailable(
        "model '" + spec.name + "' cannot be loaded; the server's log says why", 1);
  }
  name_ = spec.name;
  return *model_;
}

void ServeAnalysis::forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (name_ == name) model_.reset();
}

}  // namespace dietmt::tools
