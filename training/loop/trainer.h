// The training loop of translation, pre-training and fine-tuning: optimiser steps with gradient
// accumulation, schedule, validation, checkpoints, early stopping and bit-exact resuming.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "encoders/ops/dropout_keys.h"
#include "training/distributed/process_group.h"
#include "training/loop/trainer_options.h"
#include "training/processes/configuration.h"

namespace dietmt::training {

/// Sums over the targets of one batch.
struct BatchLoss {
  at::Tensor sums;  // [2] fp64 on the model's device: the loss to minimise, and the same without
                    // label smoothing
  double targets = 0.0;  // their number, or the sum of their weights; divides an update's loss
  int64_t tokens = 0;    // for the speed

  // The values of `sums`; these calls wait for the device.
  double loss() const { return sums[0].item<double>(); }
  double target_loss() const { return sums[1].item<double>(); }
};

/// Packs two scalars as BatchLoss::sums.
at::Tensor batch_sums(const at::Tensor& loss, const at::Tensor& target_loss);

/// Where the parameters are.
at::Device device_of(const torch::nn::Module& model);

/// What is trained: a model, its data and its validation.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  virtual torch::nn::Module& model() = 0;

  /// Takes the next batch and adds the gradient of its summed loss to the parameters' gradients.
  virtual BatchLoss accumulate_gradients(encoders::DropoutKeys& dropout) = 0;

  /// Whether accumulate_gradients() may replay a recorded pass. Then gradients are whole only when
  /// it returns.
  virtual bool replays_passes() const { return false; }

  /// Skips the next batch, which another process takes.
  virtual void skip_batch() = 0;

  /// Passes over the data so far, with the fraction of the current one.
  virtual double epoch() const = 0;

  /// How much there is to train on, such as "29,000 sentence pairs", for people; by default "".
  virtual std::string training_data() const { return {}; }

  /// The scores of validate(): "valid_loss" and others. Lower losses are better.
  virtual std::vector<std::string> score_names() const = 0;

  /// Why several processes cannot train it.
  virtual std::vector<std::string> problems_of_several() const { return {}; }

  /// Scores of the current weights, by these names.
  virtual std::map<std::string, double> validate() = 0;

  /// What takes the most memory in validate(), for a dry run. By default nothing: passes without
  /// gradients need less memory than training.
  virtual void try_validation() {}

  /// Position in the data, for training.json.
  virtual nlohmann::json data_position() const = 0;
  virtual void restore_data_position(const nlohmann::json& position) = 0;

  /// Writes a model directory with these weights.
  virtual void write_model(const std::filesystem::path& directory, const NamedTensors& weights) = 0;
};

enum class TrainingEnd {
  kFinished,  // a limit or early stopping
  kStopped,   // a signal or --max-time; saved and resumable
};

/// Runs the loop. The caller holds the OutputLock of options.output. `configuration` (option names
/// and values) is stored with each checkpoint. If `resume` is true and the output directory holds a
/// checkpoint, training continues from it; differences in configuration that options.resume_changed
/// does not name are refused with a list (ConfigError), as is a valid_metric that this task does
/// not report. Throws CheckpointError if all checkpoints are damaged, and Error if the loss is not
/// a number or diverges; the checkpoints stay intact.
///
/// With a `group` of several processes, each calls this with the same arguments. data::BatchShare
/// divides the options.accumulate batches of an update among their tasks, at least one per process
/// (else ConfigError, as for anything that only a single process can train). Only the first process
/// writes, validates and logs. Throws PeerError if one ends.
TrainingEnd train(TrainingTask& task, const TrainerOptions& options,
                  const Configuration& configuration, bool resume, ProcessGroup* group = nullptr);

}  // namespace dietmt::training
