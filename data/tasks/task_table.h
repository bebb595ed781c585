// The tasks that `dietmt bert finetune --task NAME` knows: GLUE (Wang et al. 2019), XNLI, SQuAD and
// their relatives in other languages (XTREME, Hu et al. 2020).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

enum class TaskKind { kClassification, kRegression, kSpan, kTags };

enum class RecordFormat {
  kTsv,        // between tabs; quote characters are ordinary characters, as in GLUE
  kQuotedTsv,  // between tabs; fields may be quoted as in CSV
  kCsv,        // between commas; fields may be quoted (RFC 4180)
  kJsonLines,  // an object a line; the names in the first one are the columns
};

/// Where the parts of an example stand in a file of a classification or regression task.
///
///   TableLayout layout;                           // a user's JSON lines
///   layout.format = RecordFormat::kJsonLines;
///   layout.first = "premise";
///   layout.second = "hypothesis";
///   layout.label = "gold";
///
/// A column is its name in the header or its number from 1; empty: there is none. "{language}" in
/// a name stands for the language that is read.
struct TableLayout {
  RecordFormat format = RecordFormat::kTsv;
  bool header = true;
  int64_t min_columns = 1;  // without header; with one, every row has as many columns as it
  int64_t max_columns = 1;  // 0: all rows have as many as the first one
  std::string first = {};
  std::string second = {};
  std::string label = {};
  std::string id = {};        // may be absent from the header: then the number of the row, from 0
  std::string language = {};  // rows of other languages are passed over
  std::vector<std::string> label_texts = {};  // for Target::labels one by one; empty: the same
  std::vector<std::string> unlabelled = {};   // texts in place of a label that nobody could give
  bool skips_malformed = false;  // rows with another number of columns, in labelled data
};

/// What is predicted for an example.
struct Target {
  TaskKind kind = TaskKind::kClassification;
  std::vector<std::string> labels = {};  // empty: those found in the file, sorted
  double lowest = 0.0;                   // of the scores of a regression
  double highest = 5.0;
};

enum class LabelUse {
  kRequired,   // a file without labels is an error
  kIfPresent,  // a test split may have them
  kIgnored,    // every row gives an example, as a submission needs
};

struct ReadOptions {
  LabelUse labels = LabelUse::kRequired;
  std::string language = {};  // for files of several languages
};

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
  std::vector<std::string> languages = {};  // to test in; empty: only English
  std::vector<TaskSplit> splits = {};
  std::vector<TableLayout> layouts = {};  // none for spans, JSON in SQuAD's form, and for tags
  bool has_unanswerable = false;          // SQuAD 2.0

  /// Throws ConfigError naming the splits that there are.
  const TaskSplit& split(std::string_view split_name) const;

  /// Throws ConfigError naming the languages that there are.
  void require_language(const std::string& language) const;

  /// Whether it has files of several languages, or names of columns with "{language}".
  bool reads_language() const;

  /// Whether the metrics depend on the language of the answers.
  bool scores_by_language() const { return name == "MLQA"; }
};

const std::vector<Task>& tasks();

/// Upper and lower case are the same. Throws ConfigError naming the tasks that there are.
const Task& find_task(std::string_view name);

/// A task of the table and the language to score it in; empty: not said.
struct NamedTask {
  const Task& task;
  std::string language;
};

/// As find_task(), also with a language after the name ("XQuAD-de"), and "squad1" and "squad2".
NamedTask find_task_and_language(std::string_view name);

/// One line a task: name, what it is, metrics and epochs.
std::string task_help();

/// `pattern` with the language in place of "{language}".
std::string with_language(std::string_view pattern, std::string_view language);

}  // namespace dietmt::data
