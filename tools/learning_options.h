// How `dietmt train` learns from little text: dropout of whole words and layers, two passes that
// must agree, frozen parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "nmt/network/translation_model.h"
#include "tools/training_options.h"

namespace dietmt::tools {

struct LearningOptions {
  double label_smoothing = 0.1;
  std::optional<double> source_word_dropout, target_word_dropout;
  std::optional<double> layer_drop;
  std::optional<double> r_drop;
  std::vector<std::string> freeze;
  std::optional<int64_t> lora_rank;
  std::optional<double> lora_alpha;
  std::vector<std::string> lora_on;
  std::optional<int64_t> adapter_size;

  /// Whether some parameters are not trained.
  bool partly_frozen() const { return !freeze.empty() || lora_rank || adapter_size; }

  nmt::TranslationModel::WholeDropout whole_dropout() const;
  training::LowRankOptions low_rank() const;
  /// All problems that the option table does not see, one sentence each.
  std::vector<std::string> problems(const nmt::ModelConfig& model, const TrainingOptions& run,
                                    bool from_a_model) const;
  /// Freezes the parameters and logs how many numbers that are. Throws ConfigError if a pattern
  /// matches none.
  void apply_freeze(nmt::TranslationModel& model) const;
};

/// Adds them to the current group.
void bind_learning(OptionTable& table, LearningOptions& o);

}  // namespace dietmt::tools
