// The options that say what an encoder is fine-tuned for: a task of the table, or a user's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bert/finetuning/task_data.h"
#include "bert/prediction/task_description.h"
#include "common/options.h"

namespace dietmt::tools {

struct TaskOptions {
  std::vector<std::string> tasks;
  std::string data;
  std::string train;
  std::vector<std::string> valid;
  std::vector<std::string> languages;

  std::string kind = "classification";
  std::string format = "tsv";
  bool no_header = false;
  bool unanswerable = false;
  data::TableLayout layout = {.first = "sentence", .label = "label", .id = "index"};
  data::Target target;
  std::vector<std::string> metrics;

  std::optional<int64_t> max_length;
  data::WindowOptions windows;
  data::PredictionOptions prediction;
};

void bind_task(OptionTable& table, TaskOptions& o);

/// Splits lists at their commas, and says all that is wrong, one sentence each.
std::vector<std::string> resolve(const OptionTable& table, TaskOptions& o);

/// The tasks that --task names, or the one that the other options describe.
std::vector<bert::TaskDescription> describe_tasks(const TaskOptions& o);

/// Its files: --train and --valid, or the official ones in --data or a folder of the task's name
/// there.
bert::TaskFiles files_of(const TaskOptions& o, const data::Task& task);

/// "a,b" "c" as a, b, c.
std::vector<std::string> split_at_commas(const std::vector<std::string>& words);

}  // namespace dietmt::tools
