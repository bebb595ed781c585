// Examples of classification and regression tasks, from the files as they are distributed or from a
// user's own.
//
//   const Task& task = find_task("MRPC");
//   const TaskData train = read_examples("train.tsv", task.layouts, task.target, {});
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/tasks/task_table.h"

namespace dietmt::data {

struct Example {
  std::string id = {};
  std::string first = {};   // UTF-8; may be empty
  std::string second = {};  // empty in tasks of single sentences
  int32_t label = -1;       // index in TaskData::labels; -1: a regression, or without labels
  double score = 0.0;       // of a regression
};

/// Rows of one kind that are worth a word to the user.
struct RowTally {
  int64_t rows = 0;
  std::string first_where = {};  // "file:line"
};

struct TaskData {
  std::vector<Example> examples = {};
  std::vector<std::string> labels = {};
  bool labelled = false;
  RowTally malformed;   // passed over: another number of columns
  RowTally unlabelled;  // passed over: the annotators gave no label
  RowTally not_utf8;    // kept, with U+FFFD for what is not UTF-8
  RowTally empty;       // kept, a text of theirs is empty

  /// Examples per label; empty for a regression.
  std::vector<int64_t> label_counts() const;

  /// One sentence: examples, how many of each label, what was passed over and where first.
  std::string summary() const;
};

/// Reads with the one of `layouts` whose columns the first line has; else with the one for files
/// without header. `path` may be compressed or "-". Throws DataError (file:line): no layout fits, a
/// row has another number of columns, a label is unknown, a score is no number or out of range, no
/// example is left; ConfigError if the language is to be named, or a layout cannot be meant.
TaskData read_examples(const std::string& path, const std::vector<TableLayout>& layouts,
                       const Target& target, const ReadOptions& options);

}  // namespace dietmt::data
