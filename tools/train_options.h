// The options of `dietmt train`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "nmt/training/validation_scores.h"
#include "tools/corpus_options.h"
#include "tools/guided_alignment_options.h"
#include "tools/learning_options.h"
#include "tools/model_options.h"
#include "tools/training_options.h"

namespace dietmt::tools {

struct TrainOptions : CorpusOptions,
                      SubwordOptions,
                      ModelOptions,
                      LearningOptions,
                      GuidedAlignmentOptions,
                      TrainingOptions {
  std::string output;
  std::optional<std::string> init_from;
  std::optional<int64_t> context;
  std::optional<std::string> context_sides;
  int64_t batch_tokens = 4096;
  bool find_batch = false;
  bool no_valid_translation = false;
  nmt::ValidationOptions validation;
  std::string valid_output;
  std::string comet_model;
};

OptionTable train_option_table(TrainOptions& o);

/// That weights, gradients and moments do not fit into memory.
std::vector<std::string> memory_problems(const TrainOptions& o);

/// All problems that the option table does not see, one sentence each. Also puts names and numbers
/// into the options of the parts. `has_tokenizers`: an initial model brings them.
std::vector<std::string> problems_of(const OptionTable& table, TrainOptions& o,
                                     bool has_tokenizers);

/// Says what users of other programs, or of a GPU, are likely to have meant otherwise.
void warn_of_habits(const OptionTable& table, const TrainOptions& o);

}  // namespace dietmt::tools
