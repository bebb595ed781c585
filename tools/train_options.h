// The options of dietmt train.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "nmt/search/search_options.h"
#include "tools/corpus_options.h"
#include "tools/model_options.h"
#include "tools/tokenizer_choice.h"
#include "tools/training_options.h"

namespace dietmt::tools {

struct TrainOptions : CorpusOptions, TokenizerChoice, ModelOptions, TrainingOptions {
  std::string output;
  std::optional<std::string> init_from;
  int64_t batch_tokens = 4096;
  bool find_batch = false;

  double label_smoothing = 0.1;

  bool no_valid_translation = false;
  std::string valid_tokenizer = "13a";
  bool valid_lowercase = false;
  nmt::SearchOptions search;
};

void bind(OptionTable& table, TrainOptions& o);

/// Puts names and numbers into what they stand for. Throws ConfigError with all `problems` and all
/// others. `has_tokenizers`: a model to start from brings them.
void validate(TrainOptions& o, std::vector<std::string> problems, bool has_tokenizers);

}  // namespace dietmt::tools
