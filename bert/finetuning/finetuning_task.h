// The common part of all fine-tuning tasks: the TrainingTask of `dietmt bert finetune` without its
// loss and metrics, and the scores that a fine-tuned model gives its inputs.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "bert/finetuning/example_batches.h"
#include "bert/finetuning/task_description.h"
#include "data/tasks/span_prediction.h"
#include "encoders/bert/bert.h"
#include "training/loop/trainer.h"

namespace dietmt::bert {

/// Where a model runs, and how precisely.
struct Execution {
  at::Device device = at::kCPU;
  bool bf16 = false;
};

/// Scores of the classes, or values of a regression: [B, classes] fp32, with gradient.
at::Tensor class_scores(const encoders::Bert& model, const ExampleBatch& batch,
                        const Execution& execution, encoders::DropoutKeys* dropout = nullptr);

/// Scores of each token as first and last one of an answer: [N, 2] fp32, with gradient.
at::Tensor answer_scores(const encoders::Bert& model, const ExampleBatch& batch,
                         const Execution& execution, encoders::DropoutKeys* dropout = nullptr);

/// The same for all inputs, [inputs, classes] on the CPU in their order, without gradient.
at::Tensor all_class_scores(const encoders::Bert& model, const EncodedInputs& inputs,
                            const Execution& execution);

/// The same for all inputs, in their order.
std::vector<data::WindowScores> all_answer_scores(const encoders::Bert& model,
                                                  const EncodedInputs& inputs,
                                                  const Execution& execution);

struct FinetuningOptions {
  ExampleBatchOptions batches;
  Execution execution;
};

/// Of the examples and their labels, so that a run is not resumed with other data.
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
  /// Throws ConfigError if the checkpoint was made with other data.
  void restore_data_position(const nlohmann::json& position) override;

  /// With task.json.
  void write_model(const std::filesystem::path& directory,
                   const training::NamedTensors& weights) override;

 protected:
  /// Arguments passed by reference must outlive the task.
  FinetuningTask(std::shared_ptr<encoders::Bert> model, const data::BertTokenizer& tokenizer,
                 const TaskDescription& description, const EncodedInputs& train,
                 const DataHashes& hashes, const FinetuningOptions& options);

  /// Summed over the examples of the batch.
  virtual at::Tensor loss(const ExampleBatch& batch, encoders::DropoutKeys& dropout) const = 0;

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
  std::unique_ptr<ExampleBatches> batches_;
};

}  // namespace dietmt::bert
