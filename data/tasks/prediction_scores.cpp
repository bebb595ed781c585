#include "data/tasks/prediction_scores.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/numbers.h"
#include "common/text_io.h"
#include "data/tasks/record_reader.h"
#include "data/tasks/tag_reader.h"
#include "data/tasks/task_reader.h"

namespace dietmt::data {
namespace {

using nlohmann::json;

// The values of a JSON object whose values are all of one type, by key.
template <typename Value>
std::map<std::string, Value> read_object(const std::string& path, const char* type) {
  std::string text;
  LineReader reader(path);
  for (std::string line; reader.next(line);) text += line + '\n';
  json object;
  try {
    object = parse_json(text);
  } catch (const CheckpointError& error) {
    throw DataError(path + ": " + error.what());
  }
  if (!object.is_object()) throw DataError(path + ": expected a JSON object of question ids");
  std::map<std::string, Value> values;
  for (const auto& [id, value] : object.items()) {
    if (std::is_same_v<Value, std::string> ? !value.is_string() : !value.is_number())
      throw DataError(path + ": question " + id + ": expected a " + type);
    values[id] = value.template get<Value>();
  }
  return values;
}

void warn_of_other_questions(const std::string& path, const metrics::Predictions& texts,
                             const std::vector<Question>& questions) {
  int64_t missing = 0;
  for (const Question& question : questions) missing += texts.count(question.id) == 0;
  if (missing > 0)
    spdlog::warn("{}: {} of {} questions have no prediction and count 0", path, missing,
                 questions.size());
  const int64_t others = std::ssize(texts) - (std::ssize(questions) - missing);
  if (others > 0) spdlog::warn("{}: {} predictions are for other questions", path, others);
}

PredictionScores score_spans(const Task& task, const PredictionFiles& files) {
  if (task.scores_by_language() && files.language.empty())
    throw ConfigError(
        "the score of MLQA depends on the language of the answers: use --task "
        "mlqa-de, or another language");
  if (!files.null_odds.empty() && !task.has_unanswerable)
    throw ConfigError("--null-odds is for tasks whose questions may have no answer, as squad2");
  const std::vector<Question> questions =
      read_questions(files.reference, QuestionUse::kEvaluation).questions;
  const auto texts = read_object<std::string>(files.predictions, "text");
  warn_of_other_questions(files.predictions, texts, questions);
  PredictionScores result{answer_metrics(task, files.language, questions, texts),
                          std::ssize(questions)};
  if (!files.null_odds.empty())
    result.scores.merge(
        threshold_metrics(questions, texts, read_object<double>(files.null_odds, "number")));
  return result;
}

struct Prediction {
  std::string text;
  std::string where;  // "file:line"
};

// One for each example, in their order.
std::vector<Prediction> read_table(const std::string& path, const std::vector<Example>& examples) {
  RecordReader reader(path, RecordFormat::kTsv);
  std::vector<std::string> fields;
  std::vector<Prediction> in_order;
  std::map<std::string, Prediction> by_id;
  bool has_ids = false;
  for (int64_t row = 0; reader.next(fields); ++row) {
    if (row == 0 && fields.size() == 2) {
      has_ids = true;
      if (fields[1] != "prediction")
        throw DataError(reader.where() +
                        ": expected the header index, prediction, or only one "
                        "prediction a line");
      continue;
    }
    if (fields.size() != (has_ids ? 2 : 1))
      throw DataError(reader.where() + ": " + std::to_string(fields.size()) +
                      " columns, expected " +
                      (has_ids ? "index and prediction" : "one prediction"));
    if (!has_ids)
      in_order.push_back({fields[0], reader.where()});
    else if (!by_id.insert({fields[0], {fields[1], reader.where()}}).second)
      throw DataError(reader.where() + ": a second prediction for index " +
                      data::quoted(fields[0]));
  }
  const size_t found = has_ids ? by_id.size() : in_order.size();
  if (found != examples.size())
    throw DataError(path + ": " + std::to_string(found) + " predictions for " +
                    std::to_string(examples.size()) + " labelled examples");
  if (!has_ids) return in_order;
  for (const Example& example : examples) {
    const auto prediction = by_id.find(example.id);
    if (prediction == by_id.end())
      throw DataError(path + ": no prediction for index " + data::quoted(example.id));
    in_order.push_back(prediction->second);
  }
  return in_order;
}

int32_t label_of(const Prediction& prediction, const std::vector<std::string>& labels) {
  const auto found = std::ranges::find(labels, prediction.text);
  if (found == labels.end())
    throw DataError(prediction.where + ": prediction " + data::quoted(prediction.text) +
                    ", expected one of " + data::quoted_list(labels));
  return static_cast<int32_t>(found - labels.begin());
}

double number_of(const Prediction& prediction) {
  const std::string& text = prediction.text;
  const auto number = number_in<double>(text);
  if (!number || !std::isfinite(*number))
    throw DataError(prediction.where + ": prediction " + data::quoted(text) +
                    ", expected a number");
  return *number;
}

PredictionScores score_table(const Task& task, const PredictionFiles& files) {
  if (!files.null_odds.empty()) throw ConfigError("--null-odds is for questions, as in squad2");
  const TaskData gold = read_examples(files.reference, task.layouts, task.target,
                                      {LabelUse::kRequired, files.language});
  const std::vector<Prediction> predictions = read_table(files.predictions, gold.examples);
  std::vector<int32_t> labels, gold_labels;
  std::vector<double> values, gold_values;
  const bool regression = task.target.kind == TaskKind::kRegression;
  for (size_t i = 0; i < predictions.size(); ++i) {
    if (regression) {
      values.push_back(number_of(predictions[i]));
      gold_values.push_back(gold.examples[i].score);
    } else {
      labels.push_back(label_of(predictions[i], gold.labels));
      gold_labels.push_back(gold.examples[i].label);
    }
  }
  return {regression ? value_metrics(task, values, gold_values)
                     : class_metrics(task, labels, gold_labels),
          std::ssize(predictions)};
}

// The predicted tags: the second column, or the only one.
metrics::TaggedSentences read_tags(const std::string& path, const TaggedData& gold) {
  const TaggedData read = read_tagged(path, {}, LabelUse::kIfPresent);
  const auto place = [&](size_t s) {
    return path + ":" + std::to_string(read.sentences[s].line) + ": sentence " +
           std::to_string(s + 1);
  };
  const size_t both = std::min(read.sentences.size(), gold.sentences.size());
  for (size_t s = 0; s < both; ++s) {
    const size_t found = read.sentences[s].words.size(), wanted = gold.sentences[s].words.size();
    if (found != wanted)
      throw DataError(place(s) + " has " + std::to_string(found) + " tags, the reference " +
                      std::to_string(wanted));
  }
  if (read.sentences.size() != gold.sentences.size())
    throw DataError(path + ": " + std::to_string(read.sentences.size()) +
                    " sentences, the reference has " + std::to_string(gold.sentences.size()));
  if (read.labelled) return named_tags(read, tags_of(read));
  metrics::TaggedSentences tags;
  for (const TaggedSentence& sentence : read.sentences) tags.push_back(sentence.words);
  return tags;
}

PredictionScores score_tags(const Task& task, const PredictionFiles& files) {
  if (!files.null_odds.empty()) throw ConfigError("--null-odds is for questions, as in squad2");
  const TaggedData gold = read_tagged(files.reference, task.target.labels, LabelUse::kRequired);
  return {tag_metrics(task, read_tags(files.predictions, gold), named_tags(gold, tags_of(gold))),
          gold.words()};
}

}  // namespace

PredictionScores score_predictions(const Task& task, const PredictionFiles& files) {
  if (!files.language.empty()) task.require_language(files.language);
  if (task.target.kind == TaskKind::kSpan) return score_spans(task, files);
  return task.target.kind == TaskKind::kTags ? score_tags(task, files) : score_table(task, files);
}

}  // namespace dietmt::data
