// The span of a text that answers a question (Devlin et al. 2019, sections 4.2 and 4.3):
//
//   loss = mean of -log p(first token) and -log p(last token), each over the tokens of a window
//
// A window without the answer has [CLS] as both.
#pragma once

#include <string>
#include <vector>

#include "bert/finetuning/finetuning_task.h"
#include "bert/finetuning/span_data.h"
#include "data/tasks/task_metrics.h"

namespace dietmt::bert {

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
