// Options of the training loop, whatever it trains.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "training/optimization/low_rank_training.h"
#include "training/optimization/optimizer.h"
#include "training/optimization/schedule.h"

namespace dietmt::training {

struct TrainerOptions {
  std::filesystem::path output;
  std::vector<std::string> resume_changed;  // options that may differ from the checkpoint's
  std::vector<std::string> defaulted;  // options that were not given; a checkpoint may lack them
  int64_t max_updates = 100'000;
  int64_t max_epochs = 0;         // 0: no limit
  int64_t accumulate = 1;         // batches per update, over all processes
  int64_t valid_interval = 1000;  // updates
  int64_t epoch_batches = 0;  // if set, validate instead after each update that ends such an epoch
  int64_t save_interval = 0;  // updates, in addition to saving after validations; 0: none
  int64_t patience = 0;       // validations without improvement before stopping; 0: never
  std::string valid_metric = "valid_loss";  // the score that defines "best"
  int64_t keep_last = 1;
  int64_t keep_best = 1;
  int64_t log_interval = 50;
  double clip_norm = 1.0;              // 0: no clipping
  double ema_decay = 0.0;              // 0: no moving average
  std::string gradient_type = "fp32";  // "bf16": type in which processes exchange gradients
  bool bf16 = false;                   // from the embeddings to the loss; weights stay fp32
  bool profile = false;                // write a Chrome trace of some updates: step_profile.h
  uint64_t seed = 1;
  ScheduleOptions schedule;
  OptimizerOptions optimizer;
  LowRankOptions low_rank;

  std::vector<std::string> problems() const;
  /// Why several processes cannot train with these options.
  std::vector<std::string> problems_of_several() const;
};

/// The options that `resume_changed` may name: learning rate, validation and kernels. The others
/// determine the model, the batches or the state of the optimiser.
std::vector<std::string> changeable_options();

/// Throws ConfigError listing the scores unless `name` is one of them.
void require_score(const std::vector<std::string>& scores, const std::string& name);

}  // namespace dietmt::training
