#include "bert/prediction/prediction.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "bert/model/model_directory.h"
#include "bert/prediction/question_inputs.h"
#include "bert/prediction/tag_inputs.h"
#include "common/error.h"
#include "data/tasks/submission.h"
#include "storage/checkpoint.h"

namespace dietmt::bert {
namespace {

using data::LabelUse;
using data::TaskData;
using data::TaskKind;

TaskData read(const TaskDescription& description, const PredictionFiles& files, LabelUse labels) {
  return data::read_examples(files.input, description.task.layouts, description.task.target,
                             {labels, files.language});
}

// The examples again with their labels, if each has one; standard input is read once.
std::optional<TaskData> read_gold(const TaskDescription& description, const PredictionFiles& files,
                                  size_t examples) {
  if (files.input == "-") return std::nullopt;
  try {
    TaskData gold = read(description, files, LabelUse::kIfPresent);
    if (!gold.labelled) return std::nullopt;
    if (gold.examples.size() == examples) return gold;
    spdlog::warn("{}: no metrics, because only {} of {} examples have a label", files.input,
                 gold.examples.size(), examples);
  } catch (const DataError& error) {
    spdlog::warn("no metrics: {}", error.what());
  }
  return std::nullopt;
}

std::optional<data::Scores> predict_classes(const FinetunedModel& finetuned,
                                            const PredictionFiles& files, const TaskData& data,
                                            const at::Tensor& scores) {
  const data::Task& task = finetuned.description.task;
  const std::vector<int32_t> labels = predicted_labels(scores);
  data::write_label_submission(files.output, data.examples, labels, task.target.labels);
  const auto gold = read_gold(finetuned.description, files, data.examples.size());
  if (!gold) return std::nullopt;
  std::vector<int32_t> right;
  for (const data::Example& example : gold->examples) right.push_back(example.label);
  return class_metrics(task, labels, right);
}

std::optional<data::Scores> predict_numbers(const FinetunedModel& finetuned,
                                            const PredictionFiles& files, const TaskData& data,
                                            const at::Tensor& scores) {
  const data::Task& task = finetuned.description.task;
  const std::vector<double> values = predicted_values(scores, task.target);
  data::write_score_submission(files.output, data.examples, values, task.target);
  const auto gold = read_gold(finetuned.description, files, data.examples.size());
  if (!gold) return std::nullopt;
  std::vector<double> right;
  for (const data::Example& example : gold->examples) right.push_back(example.score);
  return value_metrics(task, values, right);
}

std::optional<data::Scores> predict_examples(const FinetunedModel& finetuned,
                                             const PredictionFiles& files,
                                             const Execution& execution) {
  const TaskDescription& description = finetuned.description;
  data::require_submission_place(files.output, description.kind());
  const TaskData data = read(description, files, LabelUse::kIgnored);
  spdlog::info("{}: {} examples", files.input, data.examples.size());
  const EncodedInputs inputs =
      encode_examples(data.examples, *finetuned.tokenizer, description.inputs());
  const at::Tensor scores = all_class_scores(*finetuned.model, inputs, execution);
  return description.kind() == TaskKind::kRegression
             ? predict_numbers(finetuned, files, data, scores)
             : predict_classes(finetuned, files, data, scores);
}

std::optional<data::Scores> predict_words(const FinetunedModel& finetuned,
                                          const PredictionFiles& files,
                                          const Execution& execution) {
  const TaskDescription& description = finetuned.description;
  data::require_submission_place(files.output, description.kind());
  const std::vector<std::string>& labels = description.task.target.labels;
  data::TaggedData read = data::read_tagged(files.input, labels, LabelUse::kIfPresent);
  spdlog::info("{}: {}", files.input, read.summary());
  const TagInputs inputs =
      encode_tags(std::move(read), *finetuned.tokenizer, description.max_length);
  const metrics::TaggedSentences predictions =
      predicted_tags(inputs, all_token_tags(*finetuned.model, inputs.inputs, execution));
  data::write_tag_submission(files.output, predictions);
  if (!inputs.data.labelled) return std::nullopt;
  return tag_metrics(description.task, predictions, named_tags(inputs.data, inputs.tags));
}

bool has_answers(const data::QuestionSet& set, const data::Task& task) {
  const auto answered = [](const data::Question& question) { return !question.answers.empty(); };
  return task.has_unanswerable ? std::ranges::any_of(set.questions, answered)
                               : std::ranges::all_of(set.questions, answered);
}

void require_language(const data::Task& task, const PredictionFiles& files) {
  if (files.language.empty())
    throw ConfigError("the score of " + task.name +
                      " depends on the language of the answers: give --language");
  task.require_language(files.language);
}

std::optional<data::Scores> predict_spans(const FinetunedModel& finetuned,
                                          const PredictionFiles& files,
                                          const Execution& execution) {
  const TaskDescription& description = finetuned.description;
  data::QuestionSet set = data::read_questions(files.input, data::QuestionUse::kEvaluation);
  spdlog::info("{}: {}", files.input, set.summary());
  const bool scored = has_answers(set, description.task);
  if (scored && description.task.scores_by_language()) require_language(description.task, files);
  data::require_submission_place(files.output, description.kind());
  const QuestionInputs questions =
      encode_questions(std::move(set), *finetuned.tokenizer, description.windows);
  const std::vector<data::SpanPrediction> predictions =
      predict_answers(questions, all_answer_scores(*finetuned.model, questions.inputs, execution),
                      description.prediction);
  data::write_span_submission(files.output, questions.set.questions, predictions,
                              description.task.has_unanswerable);
  if (!scored) return std::nullopt;
  return answer_metrics(description.task, files.language, questions.set.questions, predictions);
}

}  // namespace

FinetunedModel load_finetuned(const std::filesystem::path& path, at::Device device) {
  const std::filesystem::path directory = storage::resolve_model_directory(path);
  TaskDescription description = read_task(directory);
  return {load_bert(directory, device), data::load_bert_tokenizer(directory),
          std::move(description)};
}

std::optional<data::Scores> predict(const FinetunedModel& finetuned, const PredictionFiles& files,
                                    const Execution& execution) {
  switch (finetuned.description.kind()) {
    case TaskKind::kSpan:
      return predict_spans(finetuned, files, execution);
    case TaskKind::kTags:
      return predict_words(finetuned, files, execution);
    case TaskKind::kClassification:
    case TaskKind::kRegression:
      break;
  }
  return predict_examples(finetuned, files, execution);
}

}  // namespace dietmt::bert
