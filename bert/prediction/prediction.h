// Predictions of a fine-tuned model for the files of its task.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "bert/prediction/encoder_scores.h"
#include "bert/prediction/task_description.h"
#include "data/tasks/task_metrics.h"
#include "data/text/bert_tokenizer.h"
#include "encoders/bert/bert.h"

namespace dietmt::bert {

struct FinetunedModel {
  std::shared_ptr<encoders::Bert> model;
  std::unique_ptr<data::BertTokenizer> tokenizer;
  TaskDescription description;
};

/// A model directory, or the output of a fine-tuning, whose best model it is. Throws
/// CheckpointError naming what is missing or wrong.
FinetunedModel load_finetuned(const std::filesystem::path& path, at::Device device);

struct PredictionFiles {
  std::string input;
  std::filesystem::path output;  // a file; of answers a directory
  std::string language = {};     // to read, or of the answers (MLQA)
};

/// Writes a submission (data/tasks/submission.h) with every row or question of the input. Where
/// labels or answers are there, returns the metrics of the task. Throws as data::read_examples()
/// and data::read_questions().
std::optional<data::Scores> predict(const FinetunedModel& finetuned, const PredictionFiles& files,
                                    const Execution& execution);

}  // namespace dietmt::bert
