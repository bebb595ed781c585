// The task of a fine-tuned model: task.json in its directory, all that prediction needs in
// addition to the weights and the tokenizer.
#pragma once

#include <filesystem>

#include "bert/prediction/example_batches.h"
#include "data/tasks/span_prediction.h"
#include "data/tasks/span_windows.h"
#include "data/tasks/task_table.h"
#include "encoders/bert/bert_config.h"

namespace dietmt::bert {

struct TaskDescription {
  data::Task task;                     // one of the table, or a user's own
  int64_t max_length = 128;            // of an input, with the special pieces
  data::WindowOptions windows;         // of questions; their max_length is the one above
  data::PredictionOptions prediction;  // of answers

  data::TaskKind kind() const { return task.target.kind; }

  /// How examples that are no questions are encoded.
  InputOptions inputs() const;

  /// Heads that the model needs.
  encoders::BertHeads heads() const;
};

/// Throws CheckpointError naming the file.
TaskDescription read_task(const std::filesystem::path& model_directory);
void write_task(const std::filesystem::path& model_directory, const TaskDescription& description);

/// "classification", "regression", "spans" or "tags"; throws ConfigError for another name.
data::TaskKind parse_kind(const std::string& name);

/// "tsv", "quoted-tsv", "csv" or "jsonl"; throws ConfigError for another name.
data::RecordFormat parse_format(const std::string& name);

}  // namespace dietmt::bert
