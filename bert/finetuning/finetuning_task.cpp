#include "bert/finetuning/finetuning_task.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "bert/model/model_directory.h"
#include "encoders/bert/bert.h"
#include "encoders/ops/scopes.h"
#include "training/loop/trainer.h"

namespace dietmt::bert {
namespace {

using at::Tensor;
using encoders::Bert;

constexpr int64_t kBatchTokens = 8192;  // without gradients

std::vector<float> column(const Tensor& scores, int64_t begin, int64_t count, int64_t which) {
  const Tensor values = scores.narrow(0, begin, count).select(1, which).contiguous();
  const auto* data = values.const_data_ptr<float>();
  return {data, data + count};
}

}  // namespace

Tensor class_scores(const Bert& model, const ExampleBatch& batch, const Execution& execution,
                    encoders::DropoutKeys* dropout) {
  const encoders::Autocast autocast(execution.device.type(), execution.bf16);
  const auto [hidden, packing] =
      encode_packed(model, batch.tokens, batch.segments, execution.device, dropout);
  return model.classify(model.pool(hidden, packing), dropout).to(at::kFloat);
}

Tensor answer_scores(const Bert& model, const ExampleBatch& batch, const Execution& execution,
                     encoders::DropoutKeys* dropout) {
  const encoders::Autocast autocast(execution.device.type(), execution.bf16);
  const encoders::PackedStates encoded =
      encode_packed(model, batch.tokens, batch.segments, execution.device, dropout);
  return model.spans(encoded.hidden).to(at::kFloat);
}

Tensor all_class_scores(const Bert& model, const EncodedInputs& inputs,
                        const Execution& execution) {
  const torch::NoGradGuard no_grad;
  Tensor all = at::empty({inputs.size(), model.config().task_heads.classes}, at::kFloat);
  for (const ExampleBatch& batch : all_batches(inputs, kBatchTokens))
    all.index_copy_(0, at::tensor(batch.examples),
                    class_scores(model, batch, execution).to(at::kCPU));
  return all;
}

std::vector<data::WindowScores> all_answer_scores(const Bert& model, const EncodedInputs& inputs,
                                                  const Execution& execution) {
  const torch::NoGradGuard no_grad;
  std::vector<data::WindowScores> all(static_cast<size_t>(inputs.size()));
  for (const ExampleBatch& batch : all_batches(inputs, kBatchTokens)) {
    const Tensor scores = answer_scores(model, batch, execution).to(at::kCPU);
    for (size_t b = 0; b < batch.examples.size(); ++b) {
      const int64_t begin = batch.tokens.offsets[b];
      const int64_t count = batch.tokens.offsets[b + 1] - begin;
      all[static_cast<size_t>(batch.examples[b])] = {column(scores, begin, count, 0),
                                                     column(scores, begin, count, 1)};
    }
  }
  return all;
}

FinetuningTask::FinetuningTask(std::shared_ptr<encoders::Bert> model,
                               const data::BertTokenizer& tokenizer,
                               const TaskDescription& description, const EncodedInputs& train,
                               const DataHashes& hashes, const FinetuningOptions& options)
    : model_(std::move(model)),
      tokenizer_(tokenizer),
      description_(description),
      train_(train),
      hashes_(hashes),
      options_(options),
      batches_(std::make_unique<ExampleBatches>(train, options.batches)) {}

training::BatchLoss FinetuningTask::accumulate_gradients(encoders::DropoutKeys& dropout) {
  const ExampleBatch batch = batches_->next();
  const at::Tensor sum = loss(batch, dropout);
  sum.backward();
  const auto value = sum.item<double>();
  return {value, value, std::ssize(batch.examples), batch.tokens.size()};
}

double FinetuningTask::epoch() const { return training::epochs_of(*batches_); }

nlohmann::json FinetuningTask::data_position() const {
  nlohmann::json position = training::position_json(batches_->position());
  position["training"] = hashes_.training;
  position["validation"] = hashes_.validation;
  return position;
}

void FinetuningTask::restore_data_position(const nlohmann::json& position) {
  training::require_same_text(position, "training", hashes_.training);
  training::require_same_text(position, "validation", hashes_.validation);
  batches_ =
      std::make_unique<ExampleBatches>(train_, options_.batches, training::position_from(position));
}

void FinetuningTask::write_model(const std::filesystem::path& directory,
                                 const training::NamedTensors& weights) {
  write_bert(directory, model_->config(), weights, &tokenizer_);
  write_task(directory, description_);
}

}  // namespace dietmt::bert
