// The one training loop, for translation, pre-training and fine-tuning: optimiser steps with
// accumulation, schedule, validation, checkpoints, early stopping, resume bit for bit.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "encoders/transformer/dropout_keys.h"
#include "training/optimizer.h"
#include "training/schedule.h"

namespace dietmt::training {

struct TrainerOptions {
  std::filesystem::path output;
  int64_t max_updates = 100'000;
  int64_t max_epochs = 0;         // 0: no limit
  int64_t accumulate = 1;         // batches per update
  int64_t valid_interval = 1000;  // updates
  int64_t save_interval = 0;      // updates, besides saving after validations; 0: none
  int64_t patience = 0;           // validations without a better score before stopping; 0: never
  std::string valid_metric = "valid_loss";  // what "best" means: a score of the task
  int64_t keep_last = 1;
  int64_t keep_best = 1;
  int64_t log_interval = 50;
  double clip_norm = 1.0;  // 0: no clipping
  double ema_decay = 0.0;  // 0: no moving average
  bool bf16 = false;       // matrix products in bfloat16 (autocast); weights stay fp32
  bool profile = false;    // a Chrome trace of some updates: step_profile.h
  uint64_t seed = 1;
  ScheduleOptions schedule;
  OptimizerOptions optimizer;

  std::vector<std::string> problems() const;
};

/// Sums over the targets of one batch.
struct BatchLoss {
  double loss = 0;         // what the gradient is of
  double target_loss = 0;  // the same without label smoothing
  int64_t targets = 0;     // what an update's loss is a mean over
  int64_t tokens = 0;      // for the speed
};

/// What is trained: a model, its data and its validation.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  virtual torch::nn::Module& model() = 0;

  /// Takes the next batch and adds the gradient of its summed loss to the parameters' gradients.
  virtual BatchLoss accumulate_gradients(encoders::DropoutKeys& dropout) = 0;

  /// Passes over the data so far, with the fraction of the present one.
  virtual double epoch() const = 0;

  /// What validate() measures: "valid_loss" and others. Of a loss the lower is the better one.
  virtual std::vector<std::string> score_names() const = 0;

  /// Scores of the present weights by these names.
  virtual std::map<std::string, double> validate() = 0;

  /// Where the data stand, for training.json.
  virtual nlohmann::json data_position() const = 0;
  virtual void restore_data_position(const nlohmann::json& position) = 0;

  /// Writes a model directory with these weights.
  virtual void write_model(const std::filesystem::path& directory, const NamedTensors& weights) = 0;
};

/// Throws ConfigError unless `name` is one of the scores; the message lists them.
void require_score(const std::vector<std::string>& scores, const std::string& name);

/// "  --name: was a, is b" for each option that differs.
std::vector<std::string> configuration_differences(const std::map<std::string, std::string>& before,
                                                   const std::map<std::string, std::string>& now);

enum class TrainingEnd {
  kFinished,  // a limit or early stopping
  kStopped,   // a signal; saved and resumable
};

/// Runs the loop. `configuration` (option names and values) is stored with each checkpoint; if the
/// output directory holds a checkpoint and `resume` is true, training continues from it, after
/// checking that its configuration is the same: a difference is refused with the list of
/// differences (ConfigError), as is a valid_metric that the task has not. Throws Error if the loss
/// stops being a number or diverges; checkpoints are intact.
TrainingEnd train(TrainingTask& task, const TrainerOptions& options,
                  const std::map<std::string, std::string>& configuration, bool resume);

}  // namespace dietmt::training
