// The common part of all fine-tuning tasks: the TrainingTask of `dietmt bert finetune` without its
// loss and metrics.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

#include "bert/prediction/encoder_scores.h"
#include "bert/prediction/example_batches.h"
#include "bert/prediction/task_description.h"
#include "data/tasks/task_metrics.h"
#include "encoders/bert/bert.h"
#include "training/loop/batch_memory.h"
#include "training/loop/trainer.h"

namespace dietmt::bert {

struct FinetuningOptions {
  ExampleBatchOptions batches;
  Execution execution;
  uint64_t start_hash = 0;  // of the model that training starts from
};

/// Hashes of the examples and their labels, so that a run is not resumed with other data.
struct DataHashes {
  uint64_t training = 0;
  uint64_t validation = 0;
};

class FinetuningTask : public training::TrainingTask {
 public:
  torch::nn::Module& model() override { return *model_; }
  training::BatchLoss accumulate_gradients(encoders::DropoutKeys& dropout) override;
  void skip_batch() override { batches_->next(); }
  double epoch() const override;
  nlohmann::json data_position() const override;
  /// Throws ConfigError if the checkpoint was made with other data or from another model.
  void restore_data_position(const nlohmann::json& position) override;

  /// With task.json.
  void write_model(const std::filesystem::path& directory,
                   const training::NamedTensors& weights) override;

 protected:
  /// Arguments passed by reference must outlive the task.
  FinetuningTask(std::shared_ptr<encoders::Bert> model, const data::BertTokenizer& tokenizer,
                 const TaskDescription& description, const EncodedInputs& train,
                 const DataHashes& hashes, const FinetuningOptions& options);

  /// Summed over the targets of the batch.
  virtual at::Tensor loss(const ExampleBatch& batch, encoders::DropoutKeys& dropout) const = 0;

  /// An update's loss is the mean over these.
  virtual int64_t targets(const ExampleBatch& batch) const { return std::ssize(batch.examples); }

  /// The metrics of the task for each set, by its name: "f1", "f1_de".
  template <typename Set>
  std::vector<std::string> metric_names(const std::vector<Set>& sets) const {
    std::vector<std::string> names;
    for (const Set& set : sets) names.push_back(set.name);
    return data::joined_names(description_.task, names);
  }

  const encoders::Bert& bert() const { return *model_; }
  const TaskDescription& description() const { return description_; }
  const Execution& execution() const { return options_.execution; }

 private:
  std::shared_ptr<encoders::Bert> model_;
  const data::BertTokenizer& tokenizer_;
  const TaskDescription& description_;
  const EncodedInputs& train_;
  DataHashes hashes_;
  FinetuningOptions options_;
  std::optional<encoders::WeightCopies> copies_;  // of bf16
  std::unique_ptr<ExampleBatches> batches_;
  training::BatchMemory batch_memory_;
};

}  // namespace dietmt::bert
