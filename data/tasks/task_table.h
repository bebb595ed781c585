// The tasks that `dietmt bert finetune --task NAME` knows: GLUE (Wang et al. 2019), XNLI, SQuAD and
// their relatives in other languages (XTREME, Hu et al. 2020).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/tasks/table_layout.h"

namespace dietmt::data {

struct TaskSplit {
  std::string name = {};        // "train", "dev", "dev_mismatched", ...
  std::string file = {};        // official name; "{language}" stands for one of Task::languages
  bool labelled = true;         // as distributed
  std::string submission = {};  // official name of the file of predictions; empty: there is none
};

struct Task {
  std::string name = {};
  std::string description = {};
  Target target = {};  // labels in the order of Devlin et al.'s implementation
  /// The benchmark's metrics; the first is in the tables of Ke et al. 2021 (TUPE).
  std::vector<std::string> metrics = {};
  /// Those in the tables of Wang et al. 2021 ("On Position Embeddings in BERT"); empty: none.
  std::vector<std::string> wang_metrics = {};
  int64_t epochs = 5;                       // Ke et al. 2021; spans: Wang et al. 2021
  std::vector<std::string> languages = {};  // to test in; empty: English alone
  std::vector<TaskSplit> splits = {};
  std::vector<TableLayout> layouts = {};  // none for spans: they are JSON in SQuAD's form
  bool has_unanswerable = false;          // SQuAD 2.0

  /// Throws ConfigError naming the splits that there are.
  const TaskSplit& split(std::string_view split_name) const;
};

const std::vector<Task>& tasks();

/// Upper and lower case are the same. Throws ConfigError naming the tasks that there are.
const Task& find_task(std::string_view name);

/// A task of the table and the language to score it in; empty: not said.
struct NamedTask {
  const Task& task;
  std::string language;
};

/// As find_task(), also with a language behind the name ("XQuAD-de"), and "squad1" and "squad2".
NamedTask find_task_and_language(std::string_view name);

/// One line a task: name, what it is, metrics and epochs.
std::string task_help();

/// `pattern` with the language in place of "{language}".
std::string with_language(std::string_view pattern, std::string_view language);

}  // namespace dietmt::data
