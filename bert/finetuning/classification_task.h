// Classes of whole inputs, or a number for each (Devlin et al. 2019, section 4.1):
//
//   classification: -log softmax(scores)[label]       regression: (value - score)^2
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bert/finetuning/finetuning_task.h"
#include "data/tasks/task_metrics.h"

namespace dietmt::bert {

struct LabelledInputs {
  std::string name = {};  // of a validation set; suffix of the names of its scores
  EncodedInputs inputs = {};
  std::vector<int32_t> labels = {};  // of a classification, one an input
  std::vector<double> values = {};   // of a regression, one an input
};

uint64_t content_hash(const LabelledInputs& set);

class ClassificationTask : public FinetuningTask {
 public:
  /// The model has description.heads(); there is at least one set for validation.
  ClassificationTask(std::shared_ptr<encoders::Bert> model, const data::BertTokenizer& tokenizer,
                     const TaskDescription& description, const LabelledInputs& train,
                     const std::vector<LabelledInputs>& valid, const FinetuningOptions& options);

  /// The metrics of the task for each set, "accuracy", "accuracy_mismatched", and "valid_loss" of
  /// the first one.
  std::vector<std::string> score_names() const override;
  std::map<std::string, double> validate() override;

 protected:
  at::Tensor loss(const ExampleBatch& batch, encoders::DropoutKeys& dropout) const override;

 private:
  at::Tensor targets(const LabelledInputs& set, std::span<const int64_t> examples,
                     at::Device device) const;
  at::Tensor summed_loss(const at::Tensor& scores, const at::Tensor& targets) const;
  double mean_loss(const LabelledInputs& set, const at::Tensor& scores) const;
  data::Scores metrics(const LabelledInputs& set, const at::Tensor& scores) const;

  const LabelledInputs& train_;
  const std::vector<LabelledInputs>& valid_;
};

}  // namespace dietmt::bert
