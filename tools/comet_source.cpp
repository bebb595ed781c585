// COMET models for dietmt evaluate.
#include <spdlog/spdlog.h>

#include <memory>
#include <optional>

#include "bert/comet/comet_directory.h"
#include "bert/comet/comet_scorer.h"
#include "common/error.h"
#include "encoders/comet/comet_config.h"
#include "encoders/device/device.h"
#include "tools/evaluate_options.h"

namespace dietmt::tools {

CometSource comet_source(const EvaluateOptions& o, const std::vector<std::string>&) {
  encoders::set_threads(o.threads);
  const auto loaded = std::make_shared<bert::LoadedComet>(
      bert::load_comet(o.comet_model, encoders::parse_device(o.device)));
  const encoders::CometConfig& config = loaded->model->config();
  const bool can_do_without = config.kind == "unified" && config.reads_source;
  if (config.reads_reference && o.references.empty() && !can_do_without)
    throw ConfigError("--comet-model " + o.comet_model +
                      " compares translations with references: give --reference FILE");
  return [loaded, batch_tokens = o.batch_tokens](const Corpora& corpora) {
    const bool reads_reference =
        loaded->model->config().reads_reference && !corpora.references.empty();
    std::optional<std::vector<std::string>> references;
    if (reads_reference) references = corpora.references[0];
    bert::CometScorer scorer(*loaded->model, *loaded->tokenizer, batch_tokens);
    CometScores scores{.model = loaded->model->config().name,
                       .references = reads_reference ? size_t{1} : size_t{0},
                       .by_system = scorer.score(corpora.sources, references, corpora.hypotheses)};
    if (scorer.cut() > 0)
      spdlog::warn("{} texts are too long for the COMET model: their ends are not scored",
                   scorer.cut());
    return scores;
  };
}

}  // namespace dietmt::tools
