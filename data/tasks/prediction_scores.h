// Scores of given predictions, in the files that submission.h writes and benchmarks' evaluation
// programs read.
#pragma once

#include <cstdint>
#include <string>

#include "data/tasks/task_metrics.h"
#include "data/tasks/task_table.h"

namespace dietmt::data {

struct PredictionFiles {
  /// Spans: a JSON object of question id and text. Others: tab-separated lines of index and
  /// prediction under that header, as GLUE wants them, or only one prediction a line, in the order
  /// of the reference. Tags: a tag a line, with or without the word before it, and an empty line
  /// between sentences.
  std::string predictions;
  std::string reference;  // the task's file with labels or answers
  std::string language;   // of a file with several, or (MLQA) of the answers
  /// A JSON object of question id and score of "no answer", for the best threshold; empty: none.
  std::string null_odds;
};

struct PredictionScores {
  Scores scores;
  int64_t examples = 0;
};

/// Questions without a prediction count 0, as in the evaluation programs; a warning says how many.
/// Every other example needs a prediction. Throws DataError with file:line or file and id, and
/// ConfigError if a language is needed.
PredictionScores score_predictions(const Task& task, const PredictionFiles& files);

}  // namespace dietmt::data
