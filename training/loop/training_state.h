// The checkpoint's parts besides the model: progress of the run and state of the optimiser.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "training/loop/trainer_options.h"
#include "training/optimization/divergence.h"
#include "training/optimization/optimizer.h"
#include "training/processes/configuration.h"

namespace dietmt::training {

/// The checkpoint file with the progress of the run.
constexpr const char* kTrainingState = "training.json";

/// The progress of a run, without tensors.
struct TrainingState {
  int64_t update = 0;  // finished updates
  int64_t validations_without_gain = 0;
  int64_t threads = 0;  // of the process, on the CPU; 0: unknown or a GPU
  std::optional<double> best_score;
  DivergenceCheck divergence;
  nlohmann::json changes =
      nlohmann::json::array();  // {"update", "option", "was", "is"}, oldest first
};

/// Returns the options that differ from those of the checkpoint in `directory` and that
/// `options.resume_changed` names. Throws ConfigError if others differ, and CheckpointError if the
/// checkpoint is damaged. An option that the checkpoint lacks and that was not given does not
/// count: it is newer than the checkpoint.
std::vector<OptionChange> require_same_configuration(const std::filesystem::path& directory,
                                                     const Configuration& configuration,
                                                     const TrainerOptions& options);

/// Writes training.json. `data`: position in the data.
void write_training_state(const std::filesystem::path& directory, const TrainingState& state,
                          const nlohmann::json& data, const Configuration& configuration);

/// Reads training.json into `state`, records changed options, and returns the position in the data.
/// Throws like require_same_configuration().
nlohmann::json read_training_state(const std::filesystem::path& directory, TrainingState& state,
                                   const Configuration& configuration,
                                   const TrainerOptions& options);

/// The update at which an option that affects the metric last changed; 0: none.
int64_t scores_after(const TrainingState& state, const std::string& metric);

/// The parameters of a model by name; they share its memory.
NamedTensors weights_of(const torch::nn::Module& model);

/// Writes training.safetensors: the state of the optimiser; the trained weights if
/// model.safetensors holds their moving average (else `trained` is empty); and the state of
/// `low_rank`, whose adapter is written separately.
void write_training_tensors(const std::filesystem::path& directory, NamedTensors optimizer,
                            const NamedTensors& trained, const LowRankTraining* low_rank);

/// Restores the model and the optimiser from a checkpoint with or without a moving average, and the
/// average and the low-rank updates if they are passed.
void read_training_tensors(const std::filesystem::path& directory, bool averaged,
                           torch::nn::Module& model, Optimizer& optimizer, MovingAverage* average,
                           LowRankTraining* low_rank);

}  // namespace dietmt::training
