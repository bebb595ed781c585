// Masked language modelling, and next-sentence prediction where the batches have pairs (Devlin et
// al. 2019, section 3.1): the TrainingTask of `dietmt bert pretrain`.
//
//   loss = mean over masked tokens of -log p(piece)  [+ mean over pairs of -log p(is next)]
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/training/pretraining_inputs.h"
#include "data/pretraining/pretraining_batches.h"
#include "encoders/bert/bert.h"
#include "encoders/ops/weight_copies.h"
#include "training/loop/batch_memory.h"
#include "training/loop/recorded_passes.h"
#include "training/loop/trainer.h"

namespace dietmt::bert {

/// Examples of one length, for so many updates.
struct PretrainingPhase {
  int64_t length = 512;
  int64_t updates = 0;  // of the last phase: without meaning, it lasts
};

struct PretrainingTaskOptions {
  data::PretrainingOptions batches;      // their length is that of the phase
  std::vector<PretrainingPhase> phases;  // one or more
  int64_t accumulate = 1;                // batches per update
  bool bf16 = false;
  at::Device device = at::kCPU;
};

class PretrainingTask : public training::TrainingTask {
 public:
  /// The texts outlive the task; the tokenizer is theirs. The model has the head for masked tokens,
  /// and for sentence pairs that for the next sentence.
  PretrainingTask(std::shared_ptr<encoders::Bert> model, std::span<const data::TextCorpus> train,
                  const data::TextCorpus& valid, PretrainingTaskOptions options);

  /// "valid_loss", nats per masked token; "mlm_accuracy" and, with `pairs`,
  /// "next_sentence_accuracy", in percent.
  static std::vector<std::string> possible_scores(bool pairs);

  /// How many sizes of batches are recorded.
  size_t graphs() const { return passes_->graphs(); }
  bool replays_passes() const override { return passes_->records(); }

  torch::nn::Module& model() override { return *model_; }
  training::BatchLoss accumulate_gradients(encoders::DropoutKeys& dropout) override;
  void skip_batch() override;
  double epoch() const override;
  std::vector<std::string> score_names() const override;
  std::map<std::string, double> validate() override;
  nlohmann::json data_position() const override;
  void restore_data_position(const nlohmann::json& position) override;
  void write_model(const std::filesystem::path& directory,
                   const training::NamedTensors& weights) override;

 private:
  void make_validation_batches();
  bool has_pairs() const;
  /// Passes of several processes, which send gradients meanwhile, are not recorded.
  void forget_passes();
  PretrainingInputOptions plain_inputs() const;  // of validation
  PretrainingInputOptions input_options() const;
  void begin_phase(size_t phase, data::BatchPosition start);
  /// Goes on to the next phase where the present one has had its batches.
  void advance_phase();
  void require_memory(const PretrainingInputs& batch);
  /// Adds to the gradients; returns the sums of batch_sums().
  at::Tensor pass_over(const PretrainingInputs& batch, encoders::DropoutKeys& dropout);

  std::shared_ptr<encoders::Bert> model_;
  std::span<const data::TextCorpus> train_;  // one or more
  const data::TextCorpus& valid_;
  PretrainingTaskOptions options_;
  size_t phase_ = 0;
  int64_t phase_batches_ = 0;                       // taken in this phase
  double earlier_epochs_ = 0;                       // of the phases before
  std::optional<encoders::WeightCopies> copies_;    // of bf16
  bool fills_up_ = false;                           // batches, for passes that are recorded
  std::optional<training::RecordedPasses> passes_;  // of the phase
  std::unique_ptr<PretrainingInputBatches> batches_;
  training::BatchMemory batch_memory_;
  std::vector<data::PretrainingBatch> valid_batches_;  // of the phase's length
};

}  // namespace dietmt::bert
