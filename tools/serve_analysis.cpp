#include "tools/serve_analysis.h"

#include "nmt/service/scheduling/scheduling_errors.h"
#include "tools/sentence_analysis.h"

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

}  // namespace

service::Answer ServeAnalysis::answer(const service::Call& call) {
  const Count count(waiting_);
  if (count.before >= kMostWaiting)
    throw service::QueueFull("too many sentences wait to be analysed; try again later", 1);
  try {
    return {.body = service::analysis_json(analyse(service::parse_analysis_request(call.body)))};
  } catch (const RequestError& error) {
    throw service::HttpError(400, error.what());
  }
}

service::Analysis ServeAnalysis::analyse(service::AnalysisRequest request) {
  const service::ModelSpec& spec = request.model.empty()
                                       ? pairs_.model_of(request.source, request.target)
                                       : pairs_.model_named(request.model);
  request.model = spec.name;
  const std::lock_guard lock(mutex_);
  return analyse_sentence(model(spec), request);
}

// Called with the lock held.
const nmt::LoadedModel& ServeAnalysis::model(const service::ModelSpec& spec) {
  if (model_ && name_ == spec.name) return *model_;
  model_.reset();
  model_ = nmt::load_model(spec.directory);
  name_ = spec.name;
  return *model_;
}

void ServeAnalysis::forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (name_ == name) model_.reset();
}

}  // namespace dietmt::tools
