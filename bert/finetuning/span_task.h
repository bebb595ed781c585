// The span of a text that answers a question (Devlin et al. 2019, sections 4.2 and 4.3):
//
//   loss = mean of -log p(first token) and -log p(last token), each over the tokens of a window
//
// A window without the answer has [CLS] as both.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bert/finetuning/finetuning_task.h"
#include "bert/finetuning/task_data.h"
#include "bert/prediction/question_inputs.h"
#include "bert/prediction/task_description.h"
#include "data/tasks/question_reader.h"
#include "data/tasks/task_metrics.h"

namespace dietmt::bert {

/// Questions on paragraphs are encoded as windows (data/tasks/span_windows.h). Windows to train on:
/// the first answer with a place, or [CLS] if the window does not contain it.
struct SpanInputs {
  EncodedInputs windows;
  std::vector<data::SpanLabel> labels;  // one a window
};

uint64_t content_hash(const SpanInputs& inputs);

SpanInputs encode_answers(const data::QuestionSet& set, const data::BertTokenizer& tokenizer,
                          const data::WindowOptions& options);

struct SpanData {
  SpanInputs train;
  std::vector<QuestionInputs> valid;
};

/// Reads and encodes; logs the counts. Throws as data::read_questions(), and DataError for a
/// question without answer if the task has none.
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
