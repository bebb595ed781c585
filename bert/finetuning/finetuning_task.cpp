#include "bert/finetuning/finetuning_task.h"

#include <nlohmann/json.hpp>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "training/loop/data_position.h"
#include "training/loop/trainer.h"

namespace dietmt::bert {

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
      batches_(std::make_unique<ExampleBatches>(train, options.batches)) {
  if (!execution().bf16) return;
  options_.execution.copies = &copies_.emplace(*model_);
}

training::BatchLoss FinetuningTask::accumulate_gradients(encoders::DropoutKeys& dropout) {
  const ExampleBatch batch = batches_->next();
  if (execution().device.is_cpu()) {
    batch_memory_.require(
        "--batch-size " + std::to_string(options_.batches.batch_size), batch.tokens.size(),
        model_->encoder().kept_elements(encoders::packing_of(batch.tokens, at::kCPU)),
        execution().bf16);
  }
  const at::Tensor sum = loss(batch, dropout);
  sum.backward();
  return {training::batch_sums(sum, sum), static_cast<double>(targets(batch)), batch.tokens.size()};
}

double FinetuningTask::epoch() const { return training::epochs_of(*batches_); }

nlohmann::json FinetuningTask::data_position() const {
  nlohmann::json position = training::position_json(batches_->position());
  position["training"] = hashes_.training;
  position["validation"] = hashes_.validation;
  position["start"] = options_.start_hash;
  return position;
}

void FinetuningTask::restore_data_position(const nlohmann::json& position) {
  training::require_same_text(position, "training", hashes_.training);
  training::require_same_text(position, "validation", hashes_.validation);
  if (position.value("start", options_.start_hash) != options_.start_hash)
    throw ConfigError(
        "the checkpoint was started from other weights than those in --model; give those, another "
        "--output, or --resume never to discard it");
  batches_ =
      std::make_unique<ExampleBatches>(train_, options_.batches, training::position_from(position));
}

void FinetuningTask::write_model(const std::filesystem::path& directory,
                                 const training::NamedTensors& weights) {
  write_bert(directory, model_->config(), weights, &tokenizer_);
  write_task(directory, description_);
}

}  // namespace dietmt::bert
