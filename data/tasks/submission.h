// Predictions in the files that benchmarks and their evaluation programs read, each written whole
// or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/tasks/span_prediction.h"
#include "data/tasks/task_reader.h"
#include "data/tasks/task_table.h"
#include "metrics/tag_spans.h"

namespace dietmt::data {

/// Throws Error if a submission cannot be written: to a file, or for answers to a directory, which
/// is made if need be.
void require_submission_place(const std::filesystem::path& output, TaskKind kind);

/// GLUE's form: a header `index`, `prediction`, then a row an example with its id and the name of
/// its label. Throws Error if the numbers of both differ or a label has no name, and DataError for
/// an id or a name with a tab or a line feed.
void write_label_submission(const std::filesystem::path& file, std::span<const Example> examples,
                            std::span<const int32_t> predictions,
                            const std::vector<std::string>& labels);

/// XTREME's form: a tag a line, an empty line between sentences.
void write_tag_submission(const std::filesystem::path& file,
                          const metrics::TaggedSentences& predictions);

/// Writes scores, to three decimals (more for a range below 1) and clipped to the target's
/// range as GLUE's own baseline does. Throws Error if the numbers of both differ or a score is not
/// a number.
void write_score_submission(const std::filesystem::path& file, std::span<const Example> examples,
                            std::span<const double> predictions, const Target& target);

/// SQuAD's form, in an existing `directory`: `predictions.json` (id: text),
/// `nbest_predictions.json` (id: texts with probabilities and scores) and, where there may be no
/// answer, `null_odds.json` (id: score of "no answer" minus that of the best span). Throws Error if
/// the numbers of both differ.
void write_span_submission(const std::filesystem::path& directory,
                           std::span<const Question> questions,
                           std::span<const SpanPrediction> predictions, bool has_unanswerable);

}  // namespace dietmt::data
