#include "bert/finetuning/span_task.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "encoders/attention/packing.h"

namespace dietmt::bert {
namespace {

using data::QuestionSet;
using data::SpanWindow;
using data::TextPieces;

data::Answer trained_answer(const data::Question& question) {
  const auto placed = std::ranges::find_if(question.answers, &data::Answer::has_place);
  return placed == question.answers.end() ? data::Answer{} : *placed;
}

QuestionSet read_question_set(const std::string& path, data::QuestionUse use,
                              bool has_unanswerable) {
  QuestionSet set = data::read_questions(path, use);
  spdlog::info("{}: {}", path, set.summary());
  const auto unanswered = std::ranges::find_if(
      set.questions, [](const data::Question& question) { return question.answers.empty(); });
  if (unanswered != set.questions.end() && !has_unanswerable)
    throw DataError(path + ": question " + unanswered->id +
                    " has no answer; give --unanswerable, or --task SQuAD2.0 instead of SQuAD1.1");
  return set;
}

using at::Tensor;

// Scores [N, 2] as [B, T, 2], with -inf after the end of a window.
Tensor by_window(const Tensor& scores, const encoders::Packing& packing) {
  const int64_t windows = packing.sentences();
  const int64_t length = packing.max_length();
  const Tensor none =
      at::full({windows * length, 2}, -std::numeric_limits<double>::infinity(), scores.options());
  return none.index_copy(0, packing.padded_rows(), scores).view({windows, length, 2});
}

}  // namespace

uint64_t content_hash(const SpanInputs& inputs) {
  uint64_t hash = content_hash(inputs.windows);
  for (const data::SpanLabel& label : inputs.labels)
    hash = random_key(random_key(hash, static_cast<uint64_t>(label.start)),
                      static_cast<uint64_t>(label.end));
  return hash;
}

SpanInputs encode_answers(const QuestionSet& set, const data::BertTokenizer& tokenizer,
                          const data::WindowOptions& options) {
  const std::vector<TextPieces> contexts = encode_contexts(set, tokenizer);
  SpanInputs inputs;
  for (const data::Question& question : set.questions) {
    const TextPieces& context = contexts[question.context];
    const data::Answer answer = trained_answer(question);
    for (const SpanWindow& window : data::span_windows(tokenizer.encode(question.text), context,
                                                       tokenizer.special(), options)) {
      inputs.windows.append(window.ids, window.context_begin);
      inputs.labels.push_back(data::span_label(window, context, answer));
    }
  }
  return inputs;
}

SpanData read_spans(const TaskDescription& description, const TaskFiles& files,
                    const data::BertTokenizer& tokenizer) {
  SpanData all;
  const bool unanswerable = description.task.has_unanswerable;
  all.train =
      encode_answers(read_question_set(files.train, data::QuestionUse::kTraining, unanswerable),
                     tokenizer, description.windows);
  for (const SetFile& file : files.valid) {
    all.valid.push_back(
        encode_questions(read_question_set(file.path, data::QuestionUse::kEvaluation, unanswerable),
                         tokenizer, description.windows));
    all.valid.back().name = file.name;
    all.valid.back().language = file.language;
  }
  return all;
}

SpanTask::SpanTask(std::shared_ptr<encoders::Bert> model, const data::BertTokenizer& tokenizer,
                   const TaskDescription& description, const SpanInputs& train,
                   const std::vector<QuestionInputs>& valid, const FinetuningOptions& options)
    : FinetuningTask(std::move(model), tokenizer, description, train.windows,
                     {content_hash(train), content_hash(valid)}, options),
      train_(train),
      valid_(valid) {}

Tensor SpanTask::loss(const ExampleBatch& batch, encoders::DropoutKeys& dropout) const {
  const Tensor scores = answer_scores(bert(), batch, execution(), &dropout);
  std::vector<int32_t> places;
  for (const int64_t window : batch.examples) {
    const data::SpanLabel& label = train_.labels[static_cast<size_t>(window)];
    places.insert(places.end(),
                  {static_cast<int32_t>(label.start), static_cast<int32_t>(label.end)});
  }
  const Tensor targets = encoders::ids_of(places, scores.device()).view({-1, 2});
  const Tensor log_p =
      by_window(scores, encoders::packing_of(batch.tokens, scores.device())).log_softmax(1);
  return -log_p.gather(1, targets.unsqueeze(1)).sum() / 2.0;
}

std::vector<std::string> SpanTask::score_names() const { return metric_names(valid_); }

std::map<std::string, double> SpanTask::validate() {
  std::vector<data::SetScores> sets;
  for (const QuestionInputs& set : valid_) {
    const std::vector<data::SpanPrediction> predictions = predict_answers(
        set, all_answer_scores(bert(), set.inputs, execution()), description().prediction);
    sets.emplace_back(
        set.name, answer_metrics(description().task, set.language, set.set.questions, predictions));
  }
  return joined(description().task, sets);
}

}  // namespace dietmt::bert
