#include "tools/comet_model.h"

#include <spdlog/spdlog.h>

#include <memory>

#include "bert/comet/comet_directory.h"
#include "bert/comet/comet_scorer.h"
#include "common/error.h"
#include "encoders/device/device.h"

namespace dietmt::tools {
namespace {

struct Scorer {
  bert::LoadedComet loaded;
  bert::CometScorer scorer;
  bool has_warned = false;

  Scorer(bert::LoadedComet comet, int64_t batch_tokens)
      : loaded(std::move(comet)), scorer(*loaded.model, *loaded.tokenizer, batch_tokens) {}

  void warn_of_cuts() {
    if (scorer.cut() == 0 || has_warned) return;
    has_warned = true;
    spdlog::warn("some texts are too long for the COMET model: their ends are not scored");
  }
};

}  // namespace

CometModel comet_model(const CometOptions& o, const std::string&, const std::vector<std::string>&) {
  encoders::set_threads(o.threads);
  const auto shared = std::make_shared<Scorer>(
      bert::load_comet(o.directory, encoders::parse_device(o.device)), o.batch_tokens);
  const encoders::CometConfig& config = shared->loaded.model->config();
  if (config.needs_reference() && !o.without_references.empty())
    throw ConfigError(o.option + " " + o.directory +
                      " compares translations with references: " + o.without_references);
  return {.name = config.name,
          .reads_reference = config.reads_reference,
          .scores =
              [shared](const auto& sources, const auto& references, const auto& systems,
                       const metrics::DocumentContext& context) {
                auto scores = shared->scorer.score(sources, references, systems, context);
                shared->warn_of_cuts();
                return scores;
              },
          .utility =
              [shared](std::span<const metrics::WeightedCandidates> sentences) {
                auto utilities = shared->scorer.expected(sentences);
                shared->warn_of_cuts();
                return utilities;
              }};
}

}  // namespace dietmt::tools
