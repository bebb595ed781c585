#include "bert/finetuning/finetuning_task.h"

#include <torch/torch.h>

#include "bert/model/model_directory.h"

namespace dietmt::bert {

FinetuningTask::FinetuningTask(std::shared_ptr<encoders::Bert> model,
                               const data::BertTokenizer& tokenizer,
                               const TaskDescription& description, const EncodedInputs& train,
                               const FinetuningOptions& options)
    : model_(std::move(model)),
      tokenizer_(tokenizer),
      description_(description),
      train_(train),
      options_(options),
      batches_(std::make_unique<ExampleBatches>(train, options.batches)) {}

training::BatchLoss FinetuningTask::accumulate_gradients(encoders::DropoutKeys& dropout) {
  const ExampleBatch batch = batches_->next();
  const at::Tensor sum = loss(batch, dropout);
  sum.backward();
  const auto value = sum.item<double>();
  return {value, value, std::ssize(batch.examples), batch.tokens.size()};
}

double FinetuningTask::epoch() const {
  const data::BatchPosition position = batches_->position();
  return static_cast<double>(position.epoch) +
         static_cast<double>(position.batch) / static_cast<double>(batches_->batches_in_epoch());
}

nlohmann::json FinetuningTask::data_position() const {
  const data::BatchPosition position = batches_->position();
  return {{"epoch", position.epoch}, {"batch", position.batch}};
}

void FinetuningTask::restore_data_position(const nlohmann::json& position) {
  const data::BatchPosition start{position.at("epoch"), position.at("batch")};
  batches_ = std::make_unique<ExampleBatches>(train_, options_.batches, start);
}

void FinetuningTask::write_model(const std::filesystem::path& directory,
                                 const training::NamedTensors& weights) {
  write_bert(directory, model_->config(), weights, &tokenizer_);
  write_task(directory, description_);
}

}  // namespace dietmt::bert
