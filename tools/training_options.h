// The options of every command that trains.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "training/distributed/training_process.h"
#include "training/loop/trainer.h"

namespace dietmt::tools {

inline const OptionRule kPeakLearningRate{.least = 1e-12, .most = 1000};

struct TrainingOptions {
  training::TrainerOptions trainer;
  std::string schedule = "inverse-sqrt";
  int64_t warmup = 4000;
  int64_t seed = 1;
  std::string resume = "auto";
  double max_time = 0;  // hours; 0: no limit
  std::string device = "cpu";
  std::string precision = "fp32";
  std::string attention_backend = "auto";
  std::string cuda_graphs = "auto";
  int64_t threads = 0;
  bool checkpoint_activations = false;
  int64_t processes = 1;
  bool dry_run = false;
};

/// Each starts a group, to which the command may add options.
void bind_updates(OptionTable& table, TrainingOptions& o);
void bind_checkpoints(OptionTable& table, TrainingOptions& o);
void bind_machine(OptionTable& table, TrainingOptions& o);
/// For commands that train in several processes; continues the group of bind_machine().
void bind_processes(OptionTable& table, TrainingOptions& o);

/// Single options, for commands that have only some of the above.
void add_cuda_graphs(OptionTable& table, std::string& cuda_graphs);
void add_optimizer(OptionTable& table, training::OptimizerOptions& o);
void add_clip_norm(OptionTable& table, double& clip_norm);
void add_log_interval(OptionTable& table, int64_t& updates);
void add_resume(OptionTable& table, std::string& resume);
void add_max_time(OptionTable& table, double& hours);

/// The computer's memory for each weight in training, in bytes, by this process and those that it
/// starts. Every process has the weight itself and, on the CPU, its gradient; together they have
/// the moments of the optimiser; the first one has the average of --ema-decay. All in fp32.
double bytes_per_weight(const TrainingOptions& o);

/// Puts the names and numbers above into `trainer`; returns all problems, one sentence each.
std::vector<std::string> resolve_training(const OptionTable& table, TrainingOptions& o);

/// Warns of a warm-up that the training does not outlast, and of options that others make useless.
/// Not refused: a config file may have them for more runs than this one.
void warn_of_training_options(const OptionTable& table, const TrainingOptions& o);

/// Lets signals and --max-time stop the training; to be called before it starts threads.
void install_stop(const TrainingOptions& o);

/// What join_training() needs; `inputs` are the files that every process reads.
training::ProcessOptions process_options(const OptionTable& table, const TrainingOptions& o,
                                         std::vector<std::string> inputs);

/// training::run_in_processes() with the words `command` and `arguments`. Every process reads the
/// file of --config, too.
std::optional<int> run_in_processes(training::ProcessOptions options,
                                    std::vector<std::string> command,
                                    const std::vector<std::string>& arguments);

/// The options that have a value, but not from the command line or the config file.
std::vector<std::string> options_not_given(const OptionTable& table);

/// What a resumed training must have in common with its start: all options except those that
/// change no number, such as `--threads` and the given `operational` ones.
training::Configuration configuration_of(const OptionTable& table, const TrainingOptions& o,
                                         const std::vector<std::string>& operational = {});

/// Gives options that do nothing in this run their values from the table of a run without options.
void reset(training::Configuration& configuration, const OptionTable& defaults,
           const std::vector<std::string>& unused);

/// The exit code of a training command.
int exit_code(training::TrainingEnd end);

/// Runs --dry-run and prints its report on standard output. Returns the exit code.
int print_dry_run(training::TrainingTask& task, const TrainingOptions& o);

}  // namespace dietmt::tools
