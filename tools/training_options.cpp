#include "tools/training_options.h"

#include <iostream>

#include "common/error.h"
#include "common/process_error.h"
#include "encoders/attention/attention.h"
#include "training/loop/rehearsal.h"

namespace dietmt::tools {
namespace {

// Options that may change between the parts of one training: they change no number.
constexpr const char* kOperational[] = {
    "output",       "max-updates", "max-epochs", "patience",      "resume",
    "threads",      "keep-last",   "keep-best",  "save-interval", "device",
    "log-interval", "dry-run",     "profile",    "processes",     "checkpoint-activations"};

}  // namespace

void bind_updates(OptionTable& table, TrainingOptions& o) {
  training::TrainerOptions& t = o.trainer;
  table.group("Training")
      .add("max-updates", &t.max_updates, "N", "stop after this many updates")
      .add("max-epochs", &t.max_epochs, "N",
           "stop after this many passes over the data; 0: no limit")
      .add("patience", &t.patience, "N",
           "stop after this many validations without a better score; 0: never")
      .add("accumulate", &t.accumulate, "N", "batches per update, over all processes")
      .add("optimizer", &t.optimizer.type, "adam|adamw",
           "weight decay as part of the gradient (adam) or apart from it (adamw)")
      .add("learning-rate", &t.schedule.peak_lr, "X", "peak learning rate")
      .add("schedule", &o.schedule, "NAME", "inverse-sqrt, linear, cosine or constant")
      .add("warmup", &o.warmup, "N", "updates of linear warm-up")
      .add("warmup-init-lr", &t.schedule.warmup_init_lr, "X",
           "learning rate that the warm-up starts from")
      .add("min-lr", &t.schedule.min_lr, "X", "lowest learning rate after the warm-up")
      .add("adam-beta1", &t.optimizer.beta1, "X", "decay of the first moment")
      .add("adam-beta2", &t.optimizer.beta2, "X", "decay of the second moment")
      .add("adam-epsilon", &t.optimizer.epsilon, "X", "added to the root of the second moment")
      .add("weight-decay", &t.optimizer.weight_decay, "X",
           "of matrices; biases and norms have none")
      .add("clip-norm", &t.clip_norm, "X", "largest gradient norm; 0: no clipping")
      .add("ema-decay", &t.ema_decay, "X",
           "keep an exponential moving average of the weights and validate and save it; 0: none")
      .add("seed", &o.seed, "N", "of initial weights, batches, dropout and the tokenizer's sample");
}

void bind_checkpoints(OptionTable& table, TrainingOptions& o) {
  training::TrainerOptions& t = o.trainer;
  table.group("Validation and checkpoints")
      .add("valid-interval", &t.valid_interval, "N", "updates between validations")
      .add("valid-metric", &t.valid_metric, "NAME", "what is best")
      .add("save-interval", &t.save_interval, "N",
           "updates between checkpoints besides those after validations; 0: none")
      .add("keep-last", &t.keep_last, "N", "newest checkpoints kept")
      .add("keep-best", &t.keep_best, "N", "best checkpoints kept")
      .add("resume", &o.resume, "auto|never",
           "auto: continue from the checkpoint in --output; never: discard it")
      .add("log-interval", &t.log_interval, "N", "updates between lines of progress");
}

void bind_machine(OptionTable& table, TrainingOptions& o) {
  table.group("Machine")
      .add("device", &o.device, "cpu|cuda[:I]", "where to train")
      .add("precision", &o.precision, "fp32|bf16", "of matrix products; weights stay fp32")
      .add("attention-backend", &o.attention_backend, "NAME", "auto, cpu, cuda, sdpa or reference")
      .add("threads", &o.threads, "N", "of a process; 0: as many as the machine has cores for each")
      .add("checkpoint-activations", &o.checkpoint_activations, "",
           "keep the inputs of layers alone and run them again in backward: less memory, more time")
      .add("dry-run", &o.dry_run, "",
           "check everything, try a few batches, print parameters, memory, epochs and time, stop")
      .add("profile", &o.trainer.profile, "",
           "write OUTPUT/trace.json, a Chrome trace of the updates 11 to 20 of this run");
}

void bind_processes(OptionTable& table, TrainingOptions& o) {
  table.add("processes", &o.processes, "N",
            "start N processes on this machine, which share out the batches of each update "
            "(torchrun, srun and mpirun start them as well)");
}

std::vector<std::string> resolve(TrainingOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool good, const std::string& message) {
    if (!good) problems.push_back(message);
  };
  require(o.threads >= 0, "--threads must not be negative");
  require(o.processes >= 1, "--processes must be positive");
  require(o.precision == "fp32" || o.precision == "bf16",
          "--precision is '" + o.precision + "'; possible: fp32, bf16");
  require(o.resume == "auto" || o.resume == "never",
          "--resume is '" + o.resume + "'; possible: auto, never");
  try {
    o.trainer.schedule.schedule = training::schedule_from_name(o.schedule);
  } catch (const ConfigError& error) {
    problems.push_back(error.what());
  }
  try {
    encoders::parse_backend(o.attention_backend);
  } catch (const ConfigError& error) {
    problems.push_back(std::string("--attention-backend: ") + error.what());
  }
  o.trainer.bf16 = o.precision == "bf16";
  o.trainer.seed = static_cast<uint64_t>(o.seed);
  o.trainer.schedule.warmup_updates = o.warmup;
  o.trainer.schedule.total_updates = o.trainer.max_updates;
  for (const std::string& problem : o.trainer.problems()) problems.push_back(problem);
  return problems;
}

training::Configuration joined_options(const OptionTable& table) {
  training::Configuration options;
  for (const auto& [name, value] : table.resolved()) {
    std::string& joined = options[name];
    joined += (joined.empty() ? "" : " ") + value;
  }
  return options;
}

training::Configuration configuration_of(const OptionTable& table, const TrainingOptions& o,
                                         const std::vector<std::string>& operational) {
  training::Configuration configuration = joined_options(table);
  for (const char* name : kOperational) configuration.erase(name);
  for (const std::string& name : operational) configuration.erase(name);
  // These schedules end at the last update.
  if (o.schedule == "linear" || o.schedule == "cosine")
    configuration["max-updates"] = std::to_string(o.trainer.max_updates);
  return configuration;
}

int exit_code(training::TrainingEnd end) {
  return end == training::TrainingEnd::kStopped ? kResumable : 0;
}

int64_t parameter_count(const torch::nn::Module& model) {
  int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  return count;
}

int print_rehearsal(training::TrainingTask& task, const TrainingOptions& o) {
  constexpr int64_t kBatches = 3;
  const training::Rehearsal tried = training::rehearse(task, kBatches, o.trainer.seed, o.processes);
  std::cout << training::rehearsal_text(tried, parameter_count(task.model()), o.trainer,
                                        o.processes);
  return 0;
}

}  // namespace dietmt::tools
