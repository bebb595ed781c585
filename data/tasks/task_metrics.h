// The official metrics of tasks, by the names of the task table, all in percent.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/tasks/question_reader.h"
#include "data/tasks/span_prediction.h"
#include "data/tasks/task_table.h"
#include "metrics/squad2.h"
#include "metrics/tag_spans.h"

namespace dietmt::data {

using Scores = std::map<std::string, double>;

/// Classification: accuracy, f1 (of the class with index 1, unless there are more than two),
/// macro_f1 (mean over the classes), matthews. Regression: pearson, spearman. Spans: f1,
/// exact_match and, where questions may have no answer, best_f1 and best_exact_match. Tags: f1 (of
/// entities), accuracy (of words).
std::vector<std::string> possible_metrics(const Task& task);

/// Throws ConfigError if a metric is none of those above. Labels may not be known yet.
void check_metrics(const Task& task);

/// What is measured of each set of a task: its metrics and, where questions may have no answer,
/// what the best threshold would reach.
std::vector<std::string> measured_metrics(const Task& task);

/// The scores of one set under its name, which is empty for the first set.
using SetScores = std::pair<std::string, Scores>;

/// "f1" of the first set, "f1_de" of the set "de", and "f1_mean" over the sets of a task in several
/// languages.
Scores joined(const Task& task, const std::vector<SetScores>& sets);

/// The names that joined() gives.
std::vector<std::string> joined_names(const Task& task, const std::vector<std::string>& sets);

/// The task's metrics. Throws Error if both sides differ in size, or are empty.
Scores class_metrics(const Task& task, std::span<const int32_t> predicted,
                     std::span<const int32_t> gold);

/// The task's metrics; 0 for a correlation that is not defined, as of equal predictions.
Scores value_metrics(const Task& task, std::span<const double> predicted,
                     std::span<const double> gold);

/// The task's metrics. Throws Error if both sides differ in sentences or words.
Scores tag_metrics(const Task& task, const metrics::TaggedSentences& predicted,
                   const metrics::TaggedSentences& gold);

/// The task's metrics as its evaluation program computes them; of MLQA by the language of the
/// answers. Where the task has questions without answer, also the best that a threshold on the
/// difference to "no answer" would reach, "best_f1" and "best_exact_match".
Scores answer_metrics(const Task& task, const std::string& language,
                      std::span<const Question> questions,
                      std::span<const SpanPrediction> predictions);

/// Scores of given texts, by question id. Where the task has questions without answer, also of
/// those with and those without: "has_answer_f1", "no_answer_f1", ...
Scores answer_metrics(const Task& task, const std::string& language,
                      std::span<const Question> questions, const metrics::Predictions& texts);

/// "best_f1" and "best_exact_match" of given texts and scores of "no answer".
Scores threshold_metrics(std::span<const Question> questions, const metrics::Predictions& texts,
                         const metrics::NullScores& null_scores);

}  // namespace dietmt::data
