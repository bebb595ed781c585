#include "tools/learning_options.h"

#include <spdlog/spdlog.h>

#include "encoders/weights/adapter_layers.h"
#include "nmt/training/translation_task.h"
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
           "probability of zeroing the embedding of a source token", probability)
      .add("target-word-dropout", &o.target_word_dropout, "P",
           "probability of zeroing the embedding of a target token that the decoder reads",
           probability)
      .add("layer-drop", &o.layer_drop, "P",
           "probability of skipping a layer in a batch (Fan et al. 2020)", probability)
      .add("r-drop", &o.r_drop, "ALPHA",
           "weight of the disagreement between two passes with different dropout (Liang et "
           "al. 2021); takes twice the time and memory; 5 is common",
           {.above = 0, .most = 1000})
      .add("freeze", &o.freeze, "PATTERN...",
           "parameters that stay as they are, such as 'encoder.*' or source_embedding; "
           "'dietmt inspect params' shows how names begin")
      .add("lora-rank", &o.lora_rank, "R",
           "train low-rank updates of the matrices of --init-from (Hu et al. 2022), and "
           "also save them as a small file, lora.adapter; 8 is common",
           {.least = 1, .most = 4096})
      .add("lora-alpha", &o.lora_alpha, "X", "scale of these updates times R; default: R",
           {.above = 0, .most = 10000})
      .add("lora-on", &o.lora_on, "PATTERN...",
           "the matrices to update; default: '*attention.*_weight' '*feed_forward.*_weight'")
      .add("adapter-size", &o.adapter_size, "B",
           "train only small blocks of width B after the layers of --init-from (Bapna and "
           "Firat 2019), and also save them as a small file, bottleneck.adapter; 64 is "
           "common",
           {.least = 1, .most = nmt::kAdapterRange.most});
}

nmt::TranslationModel::WholeDropout LearningOptions::whole_dropout() const {
  return {source_word_dropout.value_or(0.0), target_word_dropout.value_or(0.0),
          layer_drop.value_or(0.0)};
}

std::vector<std::string> LearningOptions::problems(const nmt::ModelConfig& model,
                                                   const TrainingOptions& run,
                                                   bool from_a_model) const {
  std::vector<std::string> found;
  const double dropout = model.dropout + model.attention_dropout + model.activation_dropout +
                         model.embedding_dropout + source_word_dropout.value_or(0.0) +
                         target_word_dropout.value_or(0.0) + layer_drop.value_or(0.0);
  if (r_drop && dropout == 0.0) {
    found.emplace_back("--r-drop compares two passes with different dropout, but all dropout is 0");
  }
  if (lora_rank && !from_a_model) found.emplace_back("--lora-rank needs --init-from");
  if (lora_rank && !freeze.empty())
    found.emplace_back(
        "--lora-rank and --freeze cannot be combined: --lora-on says what is trained");
  if (adapter_size && !from_a_model) found.emplace_back("--adapter-size needs --init-from");
  if (adapter_size && (lora_rank || !freeze.empty()))
    found.emplace_back(
        "--adapter-size trains only its own blocks: leave out --lora-rank and --freeze");
  if (!lora_rank && (lora_alpha || !lora_on.empty()))
    found.emplace_back("--lora-alpha and --lora-on need --lora-rank");
  const bool several = run.processes > 1 || training::process_place().processes > 1;
  if (r_drop && layer_drop && run.checkpoint_activations && several)
    found.emplace_back(nmt::kNotInProcesses);
  return found;
}

training::LowRankOptions LearningOptions::low_rank() const {
  training::LowRankOptions options;
  options.rank = lora_rank.value_or(0);
  options.alpha = lora_alpha.value_or(static_cast<double>(options.rank));
  if (!lora_on.empty()) options.patterns = lora_on;
  return options;
}

void LearningOptions::apply_freeze(nmt::TranslationModel& model) const {
  if (freeze.empty() && !adapter_size) return;
  const int64_t frozen = adapter_size ? training::freeze_all_but(model, encoders::is_of_adapter)
                                      : training::freeze(model, freeze);
  spdlog::info("frozen: {} of {} parameters", frozen, parameter_count(model));
}

}  // namespace dietmt::tools
