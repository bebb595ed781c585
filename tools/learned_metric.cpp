#include "tools/learned_metric.h"

#include <spdlog/spdlog.h>

#include <memory>

#include "bert/comet/comet_directory.h"
#include "bert/comet/comet_scorer.h"
#include "common/error.h"
#include "encoders/device/device.h"
#include "nmt/metricx/metricx.h"
#include "nmt/metricx/metricx_scorer.h"

namespace dietmt::tools {
namespace {

struct Comet {
  bert::LoadedComet loaded;
  bert::CometScorer scorer;

  explicit Comet(const LearnedMetricOptions& o)
      : loaded(bert::load_comet(o.directory, encoders::parse_device(o.device))),
        scorer(*loaded.model, *loaded.tokenizer, o.batch_tokens) {}
};

struct Metricx {
  nmt::Metricx loaded;
  nmt::MetricxScorer scorer;

  explicit Metricx(const LearnedMetricOptions& o)
      : loaded(nmt::load_metricx(o.directory, encoders::parse_device(o.device))),
        scorer(loaded, o.batch_tokens) {}
};

// What a call returns, after a warning if texts were cut since the last one for the first time.
template <typename Scorer>
auto with_warning(const Scorer& scorer, const char* metric, const auto& call) {
  const int64_t before = scorer.cut();
  auto found = call();
  if (before == 0 && scorer.cut() > 0)
    spdlog::warn("some texts are too long for the {} model: their ends are not scored", metric);
  return found;
}

void require_references(const LearnedMetricOptions& o, bool needed) {
  if (needed && !o.without_references.empty())
    throw ConfigError(o.option + " " + o.directory +
                      " compares translations with references: " + o.without_references);
}

LearnedMetric comet_metric(const LearnedMetricOptions& o) {
  const auto shared = std::make_shared<Comet>(o);
  const encoders::CometConfig& config = shared->loaded.model->config();
  require_references(o, config.needs_reference());
  return {.metric = kComet,
          .name = config.name,
          .reads_reference = config.reads_reference,
          .scores =
              [shared](const auto& sources, const auto& references, const auto& systems,
                       const metrics::DocumentContext& context) {
                return with_warning(shared->scorer, kComet, [&] {
                  return shared->scorer.score(sources, references, systems, context);
                });
              },
          .utility =
              [shared](std::span<const metrics::WeightedCandidates> sentences) {
                return with_warning(shared->scorer, kComet,
                                    [&] { return shared->scorer.expected(sentences); });
              }};
}

LearnedMetric metricx_metric(const LearnedMetricOptions& o) {
  const auto shared = std::make_shared<Metricx>(o);
  const nmt::MetricxLayout& layout = shared->loaded.layout;
  require_references(o, layout.needs_reference);
  return {.metric = kMetricx,
          .name = shared->loaded.name,
          .reads_reference = layout.reads_reference,
          .scores =
              [shared](const auto& sources, const auto& references, const auto& systems,
                       const metrics::DocumentContext&) {
                return with_warning(shared->scorer, kMetricx, [&] {
                  return shared->scorer.score(sources, references, systems);
                });
              },
          .utility =
              [shared](std::span<const metrics::WeightedCandidates> sentences) {
                return with_warning(shared->scorer, kMetricx,
                                    [&] { return shared->scorer.utilities(sentences); });
              }};
}

}  // namespace

LearnedMetric learned_metric(const LearnedMetricOptions& o, const std::string&,
                             const std::vector<std::string>&) {
  encoders::set_threads(o.threads);
  return nmt::is_metricx(o.directory) ? metricx_metric(o) : comet_metric(o);
}

}  // namespace dietmt::tools
