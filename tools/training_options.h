// The options that every command with a training loop has.
#pragma once

#include <string>
#include <vector>

#include "common/options.h"
#include "training/loop/trainer.h"

namespace dietmt::tools {

struct TrainingOptions {
  training::TrainerOptions trainer;
  std::string schedule = "inverse-sqrt";
  int64_t warmup = 4000;
  int64_t seed = 1;
  std::string resume = "auto";
  std::string device = "cpu";
  std::string precision = "fp32";
  std::string attention_backend = "auto";
  int64_t threads = 0;
  bool checkpoint_activations = false;
  int64_t processes = 1;
  bool dry_run = false;
};

/// Each opens a group of options, to which the command may add its own.
void bind_updates(OptionTable& table, TrainingOptions& o);
void bind_checkpoints(OptionTable& table, TrainingOptions& o);
void bind_machine(OptionTable& table, TrainingOptions& o);
/// For commands that train on several processes; it goes on with the group of the machine.
void bind_processes(OptionTable& table, TrainingOptions& o);

/// Puts the names and numbers above into `trainer`; all that is wrong with them, one sentence each.
std::vector<std::string> resolve(TrainingOptions& o);

/// Names and values of all options; several values of one stand side by side.
training::Configuration joined_options(const OptionTable& table);

/// What a resumed training must have in common with its start: names and values of all options but
/// those that change no number, such as `--threads` and the given `operational` ones.
training::Configuration configuration_of(const OptionTable& table, const TrainingOptions& o,
                                         const std::vector<std::string>& operational = {});

/// The exit code of a training command.
int exit_code(training::TrainingEnd end);

int64_t parameter_count(const torch::nn::Module& model);

/// What --dry-run says of the training, on standard output. The exit code.
int print_rehearsal(training::TrainingTask& task, const TrainingOptions& o);

}  // namespace dietmt::tools
