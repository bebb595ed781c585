#include "tools/learning_options.h"

#include <spdlog/spdlog.h>

#include "tools/model_options.h"
#include "training/optimization/freezing.h"
#include "training/processes/process_place.h"

namespace dietmt::tools {

void bind_learning(OptionTable& table, LearningOptions& o) {
  const OptionRule probability{.above = 0, .below = 1};
  table
      .add("label-smoothing", &o.label_smoothing, "P",
           "probability mass to spread over the vocabulary", {.least = 0, .below = 1})
      .add("source-word-dropout", &o.source_word_dropout, "P",
           "probability to replace the embedding of a source token by zero", probability)
      .add("target-word-dropout", &o.target_word_dropout, "P",
           "the same for the target tokens that the decoder reads", probability)
      .add("layer-drop", &o.layer_drop, "P",
           "probability to leave out a layer for one batch (Fan et al. 2020)", probability)
      .add("r-drop", &o.r_drop, "ALPHA",
           "train two passes with different dropout to agree (Liang et al. 2021), which takes "
           "twice the time and memory; 5 is common",
           {.above = 0, .most = 1000})
      .add("freeze", &o.freeze, "PATTERN...",
           "do not train the parameters with these names, such as 'encoder.*' or "
           "source_embedding; `dietmt inspect params` lists them");
}

nmt::TranslationModel::WholeDropout LearningOptions::whole_dropout() const {
  return {source_word_dropout.value_or(0.0), target_word_dropout.value_or(0.0),
          layer_drop.value_or(0.0)};
}

std::vector<std::string> LearningOptions::problems(const nmt::ModelConfig& model,
                                                   const TrainingOptions& run) const {
  std::vector<std::string> found;
  const double dropout = model.dropout + model.attention_dropout + model.activation_dropout +
                         model.embedding_dropout + source_word_dropout.value_or(0.0) +
                         target_word_dropout.value_or(0.0) + layer_drop.value_or(0.0);
  if (r_drop && dropout == 0.0) {
    found.emplace_back("--r-drop compares two passes with different dropout, but all dropout is 0");
  }
  // A layer's gradient then arrives in zero to two parts, which gradient buckets do not expect.
  const bool several = run.processes > 1 || training::process_place().processes > 1;
  if (r_drop && layer_drop && run.checkpoint_activations && several) {
    found.emplace_back(
        "--r-drop, --layer-drop and --checkpoint-activations together need --processes 1");
  }
  return found;
}

void LearningOptions::apply_freeze(nmt::TranslationModel& model) const {
  if (freeze.empty()) return;
  const int64_t frozen = training::freeze(model, freeze);
  spdlog::info("frozen: {} of {} parameters", frozen, parameter_count(model));
}

}  // namespace dietmt::tools
