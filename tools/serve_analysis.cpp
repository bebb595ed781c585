#include "tools/serve_analysis.h"

#include <spdlog/spdlog.h>

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

void read_for_analysis(const service::ModelSpec& spec,
                       const std::function<void(const nmt::ModelFiles&)>& read) {
  try {
    const nmt::ModelFiles files = nmt::open_model(spec.directory);
    if (!files.quantization.empty())
      throw service::HttpError::of_option(
          "model", "model '" + spec.name + "' has " + files.quantization +
                       " weights, which support translation but not analysis");
    read(files);
  } catch (const service::HttpError&) {
    throw;
  } catch (const Error& error) {
    spdlog::error("model {}, for /v1/analyze: {}", spec.name, error.what());
    throw service::Unavailable(
        "model '" + spec.name + "' cannot be loaded; the server's log says why", 1);
  }
}

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
  return models_.analyse(spec, request);
}

}  // namespace dietmt::tools
