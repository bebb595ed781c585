// Trains an encoder-decoder model on parallel text: the TrainingTask of `dietmt train`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus/batches.h"
#include "data/corpus/parallel_corpus.h"
#include "encoders/ops/weight_copies.h"
#include "nmt/network/translation_model.h"
#include "nmt/training/guided_alignment.h"
#include "nmt/training/translation_batch.h"
#include "nmt/training/validation_scores.h"
#include "training/loop/batch_memory.h"
#include "training/loop/recorded_passes.h"
#include "training/loop/trainer.h"

namespace dietmt::nmt {

struct TranslationTaskOptions {
  data::BatchOptions batches;
  double label_smoothing = 0.1;
  double r_drop = 0.0;         // alpha of training/optimization/r_drop.h; 0: one pass over a batch
  bool recomputes = false;     // activations, in backward
  bool partly_frozen = false;  // some parameters are not trained
  bool only_adapters = false;  // only those of adapters are, which a checkpoint has as a file too
  std::shared_ptr<const AlignmentGuide> guide;  // of the training text; null: none
  double guide_weight = 0.05;                   // of alignment_loss(), added to the cross-entropy
  bool bf16 = false;
  at::Device device = at::kCPU;
  ValidationOptions validation;
};

/// A layer's gradient arrives in zero to two parts, which gradient buckets do not expect.
inline constexpr char kNotInProcesses[] =
    "--r-drop, --layer-drop and --checkpoint-activations together need --processes 1";

class TranslationTask : public training::TrainingTask {
 public:
  /// The corpora and tokenizers must outlive the task.
  TranslationTask(std::shared_ptr<TranslationModel> model, const data::ParallelCorpus& train,
                  const data::ParallelCorpus& valid, const data::Tokenizer& source,
                  const data::Tokenizer& target, TranslationTaskOptions options);

  /// The names of the scores of a task that translates as many validation texts.
  static std::vector<std::string> possible_scores(size_t translated_texts, MoreScores more);

  /// How many sizes of batches are recorded.
  size_t graphs() const { return passes_.graphs(); }
  bool replays_passes() const override { return passes_.records(); }

  torch::nn::Module& model() override { return *model_; }
  /// Whether passes can be recorded as graphs of the device and replayed: what they enqueue depends
  /// only on the sizes of a batch. It does not where the host chooses layers or reads alignments.
  /// R-drop (two passes over a batch) and several processes, which send gradients during a pass,
  /// are not supported.
  static bool can_record(const TranslationModel& model, const TranslationTaskOptions& options);

  training::BatchLoss accumulate_gradients(encoders::DropoutKeys& dropout) override;
  void skip_batch() override { batches_->skip(); }
  double epoch() const override;
  std::vector<std::string> score_names() const override;
  std::string training_data() const override;
  std::vector<std::string> problems_of_several() const override;
  std::map<std::string, double> validate() override;
  void try_validation() override;
  nlohmann::json data_position() const override;
  void restore_data_position(const nlohmann::json& position) override;
  void write_model(const std::filesystem::path& directory,
                   const training::NamedTensors& weights) override;

 private:
  struct Loss;
  // With the loss of guided alignment where the batch has links.
  Loss batch_loss(const TranslationBatch& batch, double smoothing, encoders::DropoutKeys* dropout);
  training::BatchLoss validation_loss(const data::ParallelBatch& pairs);
  std::vector<std::string> translations(const std::vector<std::string>& lines,
                                        const LanguageChoice& languages) const;
  void require_memory(const TranslationBatch& batch);
  TranslationBatchOptions plain_batches() const;  // of validation
  TranslationBatchOptions batch_options() const;

  std::shared_ptr<TranslationModel> model_;
  const data::ParallelCorpus& train_;
  const data::Tokenizer& source_;
  const data::Tokenizer& target_;
  TranslationTaskOptions options_;
  std::optional<encoders::WeightCopies> copies_;  // of bf16
  std::vector<data::ParallelBatch> valid_batches_;
  uint64_t valid_hash_;
  training::RecordedPasses passes_;
  std::unique_ptr<TranslationBatches> batches_;
  training::BatchMemory batch_memory_;
};

}  // namespace dietmt::nmt
