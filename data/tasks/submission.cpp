#include "data/tasks/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/atomic_file.h"
#include "common/deflater.h"
#include "common/error.h"
#include "common/files.h"

namespace dietmt::data {
namespace fs = std::filesystem;

namespace {

using nlohmann::ordered_json;

void check_counts(const fs::path& path, size_t items, size_t predictions) {
  if (items != predictions)
    throw Error(path.string() + ": " + std::to_string(predictions) + " predictions for " +
                std::to_string(items) + " examples");
}

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string table_row(const std::string& id, const std::string& prediction) {
  for (const std::string& cell : {id, prediction})
    if (cell.find_first_of("\t\r\n") != std::string::npos)
      throw DataError(dumped(cell) +
                      " has a tab or a line break, which would split a row of the predictions");
  return id + '\t' + prediction + '\n';
}

// One object with a value for each question, in their order. A JSON object of many members would
// be searched from its start for each.
template <typename Value>
void write_by_question(const fs::path& file, std::span<const Question> questions,
                       std::span<const SpanPrediction> predictions, const Value& value_of) {
  std::string text = "{";
  for (size_t i = 0; i < questions.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += "    " + dumped(questions[i].id) + ": " + dumped(value_of(predictions[i]));
  }
  write_file_atomically(file, text + "\n}\n");
}

ordered_json nbest_json(const SpanPrediction& prediction) {
  ordered_json candidates = ordered_json::array();
  for (const SpanCandidate& candidate : prediction.nbest)
    candidates.push_back({{"text", candidate.text},
                          {"probability", candidate.probability},
                          {"start_logit", candidate.start_score},
                          {"end_logit", candidate.end_score}});
  return candidates;
}

}  // namespace

void require_submission_place(const fs::path& output, TaskKind kind) {
  if (kind != TaskKind::kSpan) {
    const AtomicFile file(output);  // removed again
    return;
  }
  std::error_code failure;
  fs::create_directories(output, failure);
  if (failure) throw Error(output.string() + ": cannot be created: " + failure.message());
}

void write_label_submission(const fs::path& file, std::span<const Example> examples,
                            std::span<const int32_t> predictions,
                            const std::vector<std::string>& labels) {
  check_counts(file, examples.size(), predictions.size());
  std::string table = table_row("index", "prediction");
  for (size_t i = 0; i < examples.size(); ++i) {
    const int32_t label = predictions[i];
    if (label < 0 || label >= std::ssize(labels))
      throw Error(file.string() + ": example " + examples[i].id + " has label " +
                  std::to_string(label) + " of " + std::to_string(labels.size()));
    table += table_row(examples[i].id, labels[static_cast<size_t>(label)]);
  }
  write_text_atomically(file, table);
}

void write_tag_submission(const fs::path& file, const metrics::TaggedSentences& predictions) {
  std::string lines;
  for (const std::vector<std::string>& sentence : predictions) {
    if (!lines.empty()) lines += '\n';
    for (const std::string& tag : sentence) lines += tag + '\n';
  }
  write_text_atomically(file, lines);
}

void write_score_submission(const fs::path& file, std::span<const Example> examples,
                            std::span<const double> predictions, const Target& target) {
  check_counts(file, examples.size(), predictions.size());
  const double range = target.highest - target.lowest;
  const int decimals =
      range > 0 && range < 1 ? 3 - static_cast<int>(std::floor(std::log10(range))) : 3;
  std::string table = table_row("index", "prediction");
  for (size_t i = 0; i < examples.size(); ++i) {
    if (std::isnan(predictions[i]))
      throw Error(file.string() + ": the score of example " + examples[i].id + " is not a number");
    const double score = std::clamp(predictions[i], target.lowest, target.highest);
    table += table_row(examples[i].id, fmt::format("{:.{}f}", score, decimals));
  }
  write_text_atomically(file, table);
}

void write_span_submission(const fs::path& directory, std::span<const Question> questions,
                           std::span<const SpanPrediction> predictions, bool has_unanswerable) {
  check_counts(directory, questions.size(), predictions.size());
  write_by_question(directory / "nbest_predictions.json", questions, predictions, nbest_json);
  if (has_unanswerable)
    write_by_question(directory / "null_odds.json", questions, predictions,
                      [](const SpanPrediction& prediction) { return prediction.null_difference; });
  write_by_question(directory / "predictions.json", questions, predictions,
                    [](const SpanPrediction& prediction) { return prediction.text; });
}

}  // namespace dietmt::data
