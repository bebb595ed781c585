// The span of a text that answers a question (Devlin et al. 2019, sections 4.2 and 4.3):
//
//   loss = mean of -log p(first token) and -log p(last token), each over the tokens of a window
//
// A window without the answer has [CLS] as both.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bert/finetuning/example_batches.h"
#include "bert/finetuning/finetuning_task.h"
#include "bert/finetuning/task_data.h"
#include "bert/finetuning/task_description.h"
#include "data/tasks/question_reader.h"
#include "data/tasks/task_metrics.h"

namespace dietmt::bert {

/// Questions on paragraphs are encoded as windows (data/tasks/span_windows.h). Windows to train on:
/// the first answer with a place, or [CLS] if the window does not contain it.
struct SpanInputs {
  EncodedInputs windows;
  std::vector<data::SpanLabel> labels;  // one a window
};

/// Questions to answer. Question q has windows first_windows[q] .. first_windows[q + 1] - 1.
struct QuestionInputs {
  std::string name = {};  // of a set for validation; what the names of its scores end in
  std::string language = {};
  data::QuestionSet set = {};
  std::vector<data::TextPieces> contexts = {};  // as QuestionSet::contexts
  std::vector<data::SpanWindow> windows = {};
  std::vector<size_t> first_windows = {0};
  EncodedInputs inputs = {};  // the windows again, for the model
};

uint64_t content_hash(const SpanInputs& inputs);
uint64_t content_hash(const QuestionInputs& questions);

SpanInputs encode_answers(const data::QuestionSet& set, const data::BertTokenizer& tokenizer,
                          const data::WindowOptions& options);
QuestionInputs encode_questions(data::QuestionSet set, const data::BertTokenizer& tokenizer,
                                const data::WindowOptions& options);

/// From the scores of all windows to an answer for each question.
std::vector<data::SpanPrediction> predict_answers(const QuestionInputs& questions,
                                                  std::span<const data::WindowScores> scores,
                                                  const data::PredictionOptions& options);

struct SpanData {
  SpanInputs train;
  std::vector<QuestionInputs> valid;
};

/// Reads and encodes; logs what was read. Throws as data::read_questions().
SpanData read_spans(const TaskDescription& description, const TaskFiles& files,
                    const data::BertTokenizer& tokenizer);

class SpanTask : public FinetuningTask {
 public:
  /// The model has description.heads(); there is at least one set for validation.
  SpanTask(std::shared_ptr<encoders::Bert> model, const data::BertTokenizer& tokenizer,
           const TaskDescription& description, const SpanInputs& train,
           const std::vector<QuestionInputs>& valid, const FinetuningOptions& options);

  /// The metrics of the task for each set: "f1", "f1_de".
  std::vector<std::string> score_names() const override;
  std::map<std::string, double> validate() override;

 protected:
  at::Tensor loss(const ExampleBatch& batch, encoders::DropoutKeys& dropout) const override;

 private:
  const SpanInputs& train_;
  const std::vector<QuestionInputs>& valid_;
};

}  // namespace dietmt::bert
