#include "service/page/analysis.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "common/error.h"
#include "service/api/fields.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
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

// A request that names a model may also name its languages.
void check_languages(const AnalysisRequest& request, const ModelSpec& spec) {
  const auto is_other = [](const std::string& given, const std::string& language) {
    return !given.empty() && given != language;
  };
  if (!is_other(request.source, spec.source) && !is_other(request.target, spec.target)) return;
  throw HttpError::of_option("model", "model '" + spec.name + "' translates " + spec.source +
                                          " to " + spec.target + "; leave source and target out");
}

}  // namespace

AnalysisRequest parse_analysis_request(const Call& call) {
  const Fields fields = Fields::of_json(call);
  fields.allow_only({"model", "source", "target", "text", "translation"});
  const AnalysisRequest request{.model = fields.text_or("model", ""),
                                .source = fields.text_or("source", ""),
                                .target = fields.text_or("target", ""),
                                .text = fields.text("text"),
                                .translation = fields.text_or("translation", "")};
  if (request.text.empty()) throw HttpError::of_option("text", "text is empty");
  if (request.model.empty() && (request.source.empty() || request.target.empty()))
    throw RequestError("give 'model', or 'source' and 'target'");
  return request;
}

void read_for_analysis(const ModelSpec& spec,
                       const std::function<void(const nmt::ModelFiles&)>& read) {
  try {
    const nmt::ModelFiles files = nmt::open_model(spec.directory);
    if (!files.quantization.empty())
      throw HttpError::of_option("model",
                                 "model '" + spec.name + "' has " + files.quantization +
                                     " weights, which support translation but not analysis");
    read(files);
  } catch (const HttpError&) {
    throw;
  } catch (const Error& error) {
    spdlog::error("model {}, for /v1/analyze: {}", spec.name, error.what());
    throw Unavailable("model '" + spec.name + "' cannot be loaded; the server's log says why", 1);
  }
}

Answer AnalysisRoute::answer(const Call& call) {
  const Count count(waiting_);
  if (count.before >= kMostWaiting)
    throw QueueFull("too many sentences are waiting for analysis; try again later", 1);
  return {.body = reporting::to_json(analysis_of(parse_analysis_request(call)))};
}

reporting::SentenceAnalysis AnalysisRoute::analysis_of(const AnalysisRequest& request) {
  const ModelPath path = request.model.empty() ? pairs_.path_of(request.source, request.target)
                                               : pairs_.path_named(request.model);
  if (path.empty())
    throw HttpError::of_option("target", "target is the language of the text: nothing to analyse");
  const ModelSpec& spec = *path.front();
  if (path.size() > 1)
    throw HttpError::of_option("model", spec.source + " is translated to " + path.back()->target +
                                            " through " + spec.target + " by two models, " +
                                            path_name(path) + "; analyse one of them as 'model'");
  check_languages(request, spec);
  reporting::SentenceAnalysis analysis = analyse_(spec, request);
  analysis.model = spec.name;
  return analysis;
}

}  // namespace dietmt::service
