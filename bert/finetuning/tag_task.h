// A tag for each word (Devlin et al. 2019, section 5.3):
//
//   loss = -log softmax(scores)[tag] of the first piece of a word, the mean over the words
#pragma once

#include <string>
#include <vector>

#include "bert/finetuning/finetuning_task.h"
#include "bert/finetuning/task_data.h"
#include "bert/prediction/tag_inputs.h"
#include "data/tasks/task_metrics.h"

namespace dietmt::bert {

struct TagData {
  TagInputs train;
  std::vector<TagInputs> valid;
};

/// Reads and encodes; tags that the task does not name become those of the training file, in
/// `description`. Logs the counts. Throws as data::read_tagged().
TagData read_tags(TaskDescription& description, const TaskFiles& files,
                  const data::BertTokenizer& tokenizer);

class TagTask : public FinetuningTask {
 public:
  /// The model has description.heads(); there is at least one set for validation.
  TagTask(std::shared_ptr<encoders::Bert> model, const data::BertTokenizer& tokenizer,
          const TaskDescription& description, const TagInputs& train,
          const std::vector<TagInputs>& valid, const FinetuningOptions& options);

  /// The metrics of the task for each set: "f1", "f1_de".
  std::vector<std::string> score_names() const override;
  std::map<std::string, double> validate() override;

 protected:
  at::Tensor loss(const ExampleBatch& batch, encoders::DropoutKeys& dropout) const override;
  int64_t targets(const ExampleBatch& batch) const override;

 private:
  std::vector<int32_t> token_tags(const ExampleBatch& batch) const;

  const TagInputs& train_;
  const std::vector<TagInputs>& valid_;
};

}  // namespace dietmt::bert
