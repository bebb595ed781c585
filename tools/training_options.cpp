#include "tools/training_options.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <filesystem>
#include <iostream>

#include "common/error.h"
#include "common/exit_kinds.h"
#include "common/process.h"
#include "common/text_io.h"
#include "storage/safetensors_file.h"
#include "tools/commands.h"
#include "tools/model_options.h"
#include "tools/unused_options.h"
#include "training/loop/dry_run.h"
#include "training/processes/process_place.h"

namespace dietmt::tools {
namespace {

// Options that may change when a run resumes. They change no number except the rounding of
// sums by other threads and devices.
constexpr const char* kOperational[] = {
    "output",       "max-updates",   "max-epochs", "patience",      "resume",
    "threads",      "keep-last",     "keep-best",  "save-interval", "device",
    "log-interval", "dry-run",       "profile",    "processes",     "checkpoint-activations",
    "max-time",     "resume-changed"};

// Options that may differ between the processes of a run.
constexpr const char* kOfEachProcess[] = {"output",  "threads",   "device",
                                          "profile", "processes", "log-interval"};

// Names and values of all options, several values of one joined by spaces.
training::Configuration joined_options(const OptionTable& table) {
  training::Configuration options;
  for (const auto& [name, value] : table.resolved()) {
    std::string& joined = options[name];
    joined += (joined.empty() ? "" : " ") + replace_invalid_utf8(value);  // for JSON
  }
  return options;
}

std::string changeable_names() {
  std::string text;
  for (const std::string& name : training::changeable_options())
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

void add_optimizer(OptionTable& table, training::OptimizerOptions& o) {
  table
      .add("adam-beta2", &o.beta2, "X", "decay rate of the second moment", {.least = 0, .below = 1})
      .add("adam-epsilon", &o.epsilon, "X", "term added to the root of the second moment",
           {.least = 1e-20, .most = 1})
      .add("weight-decay", &o.weight_decay, "X", "weight decay of matrices (not biases and norms)",
           {.least = 0, .most = 1000});
}

void add_clip_norm(OptionTable& table, double& clip_norm) {
  table.add("clip-norm", &clip_norm, "X", "gradient norm to clip at; 0: no clipping", {.least = 0});
}

void add_log_interval(OptionTable& table, int64_t& updates) {
  table.add("log-interval", &updates, "N", "updates between progress lines", {.least = 1});
}

void add_resume(OptionTable& table, std::string& resume) {
  table.add(
      "resume", &resume, "",
      "auto: continue from the checkpoints in --output, unless all are damaged; never: discard "
      "them",
      {.choices = {"auto", "never"}});
}

void add_max_time(OptionTable& table, double& hours) {
  table.add("max-time", &hours, "HOURS",
            "save and stop with exit code 75 after this many hours; 0: no limit",
            {.least = 0, .most = 1e6});
}

void bind_updates(OptionTable& table, TrainingOptions& o) {
  training::TrainerOptions& t = o.trainer;
  table.group("Training")
      .add("max-updates", &t.max_updates, "N", "stop after N updates", {.least = 1})
      .add("max-epochs", &t.max_epochs, "N", "stop after N epochs; 0: no limit", {.least = 0})
      .add("patience", &t.patience, "N",
           "early-stopping patience: stop after N validations without a better score; 0: never",
           {.least = 0});
  add_max_time(table, o.max_time);
  table
      .add("accumulate", &t.accumulate, "N", "batches per update, over all processes", {.least = 1})
      .add("optimizer", &t.optimizer.type, "",
           "adam: weight decay in the gradient; adamw: decoupled weight decay; adafactor: "
           "almost no memory for moments; muon: orthogonalized updates of matrices, adamw "
           "for the rest",
           {.choices = {"adam", "adamw", "adafactor", "muon"}})
      .add("learning-rate", &t.schedule.peak_lr, "X", "peak learning rate", kPeakLearningRate)
      .add("schedule", &o.schedule, "", "learning-rate schedule after the warm-up",
           {.choices = {"inverse-sqrt", "linear", "cosine", "constant"}})
      .add("warmup", &o.warmup, "N", "updates of linear warm-up", {.least = 0})
      .add("warmup-init-lr", &t.schedule.warmup_init_lr, "X",
           "learning rate at the start of the warm-up", ranges::kLearningRate)
      .add("min-lr", &t.schedule.min_lr, "X", "lowest learning rate after the warm-up",
           ranges::kLearningRate)
      .add("adam-beta1", &t.optimizer.beta1, "X", "decay rate of the first moment",
           {.least = 0, .below = 1});
  add_optimizer(table, t.optimizer);
  add_clip_norm(table, t.clip_norm);
  table
      .add("ema-decay", &t.ema_decay, "X",
           "decay of an exponential moving average of the weights, which is then validated and "
           "saved; 0: none",
           {.least = 0, .below = 1})
      .add("seed", &o.seed, "N",
           "random seed of initial weights, batches, dropout and the tokenizer's sample",
           ranges::kSeed);
}

void bind_checkpoints(OptionTable& table, TrainingOptions& o) {
  training::TrainerOptions& t = o.trainer;
  table.group("Validation and checkpoints")
      .add("valid-interval", &t.valid_interval, "N", "updates between validations", {.least = 1})
      .add("valid-metric", &t.valid_metric, "NAME", "metric that selects the best checkpoint")
      .add("save-interval", &t.save_interval, "N",
           "updates between checkpoints, in addition to one after each validation; 0: no "
           "others",
           {.least = 0})
      .add("keep-last", &t.keep_last, "N", "number of newest checkpoints to keep", {.least = 1})
      .add("keep-best", &t.keep_best, "N", "number of best checkpoints to keep", {.least = 1});
  add_resume(table, o.resume);
  table.add("resume-changed", &t.resume_changed, "NAME...",
            "options that may differ from those of the checkpoint: " + changeable_names(),
            {.choices = training::changeable_options()});
  add_log_interval(table, t.log_interval);
}

void bind_machine(OptionTable& table, TrainingOptions& o) {
  table.group("Machine").add("device", &o.device, "cpu|cuda[:I]", "device to train on");
  add_precision(table, o.precision);
  add_attention_backend(table, o.attention_backend);
  table
      .add("threads", &o.threads, "N", "threads per process; 0: share the cores of the machine",
           ranges::kThreads)
      .add("checkpoint-activations", &o.checkpoint_activations, "",
           "recompute activations in the backward pass: less memory, about 20 % slower")
      .add("dry-run", &o.dry_run, "",
           "check everything, run a few batches, print parameters, memory, epochs and time, exit")
      .add("profile", &o.trainer.profile, "",
           "write OUTPUT/trace.json, a Chrome trace of updates 11 to 20 of this run");
}

void add_cuda_graphs(OptionTable& table, std::string& cuda_graphs) {
  table.add("cuda-graphs", &cuda_graphs, "",
            "auto: on a GPU, pad batches to a few sizes and record each size as a CUDA "
            "graph; off: launch every kernel",
            {.choices = {"auto", "off"}});
}

void bind_processes(OptionTable& table, TrainingOptions& o) {
  table.add("processes", &o.processes, "N",
            "data-parallel processes to start on this machine (torchrun, srun and mpirun work too)",
            {.least = 1, .most = 256});
  table.add("gradient-type", &o.trainer.gradient_type, "",
            "type of the gradients that processes exchange; bf16 halves the traffic and "
            "rounds",
            {.choices = {"fp32", "bf16"}});
}

double bytes_per_weight(const TrainingOptions& o) {
  const training::ProcessPlace place = training::process_place();
  const bool launched = place.processes > 1;
  const auto here = static_cast<double>(launched ? 1 : o.processes);
  const auto all = static_cast<double>(launched ? place.processes : o.processes);
  if (o.device != "cpu") return here * sizeof(float);
  const double weight_and_gradient = 2.0, moments = o.trainer.optimizer.moments() / all;
  const double average = o.trainer.ema_decay > 0.0 && place.rank == 0 ? 1.0 : 0.0;
  return (here * (weight_and_gradient + moments) + average) * sizeof(float);
}

std::vector<std::string> resolve_training(const OptionTable& table, TrainingOptions& o) {
  std::vector<std::string> problems;
  if (!o.trainer.output.empty() &&
      std::filesystem::exists(o.trainer.output / storage::kSafetensorsFile))
    problems.push_back("--output " + o.trainer.output.string() +
                       " is a model, which commands would read instead of what is trained: give "
                       "another directory");
  try {
    o.trainer.schedule.schedule = training::schedule_from_name(o.schedule);
  } catch (const ConfigError& error) {
    problems.push_back(error.what());
  }
  o.trainer.bf16 = o.precision == "bf16";
  o.trainer.seed = static_cast<uint64_t>(o.seed);
  training::ScheduleOptions& schedule = o.trainer.schedule;
  if (!table.given("warmup-init-lr") && table.allows("learning-rate"))
    schedule.warmup_init_lr = std::min(schedule.warmup_init_lr, schedule.peak_lr);
  schedule.warmup_updates = o.warmup;
  schedule.total_updates = o.trainer.max_updates;
  try {
    training::require_batches_for(o.processes, o.trainer.accumulate);
  } catch (const ConfigError& error) {
    problems.push_back(error.what());
  }
  if (o.device == "cpu" && (o.attention_backend == "cuda" || o.attention_backend == "hopper"))
    problems.push_back("--attention-backend " + o.attention_backend + " needs --device cuda");
  if (training::ends_at_total(schedule.schedule) && o.trainer.max_epochs > 0 &&
      !table.given("max-updates"))
    problems.push_back("--schedule " + o.schedule +
                       " ends at --max-updates: give it, too, with --max-epochs");
  for (const std::string& problem : o.trainer.problems()) problems.push_back(problem);
  if (o.processes > 1 || training::process_place().processes > 1)
    for (const std::string& problem : o.trainer.problems_of_several()) problems.push_back(problem);
  return problems;
}

void warn_of_training_options(const OptionTable& table, const TrainingOptions& o) {
  if (o.trainer.max_updates < o.warmup)
    spdlog::warn(
        "--max-updates {} ends the training during the warm-up of the learning rate, which takes "
        "{} updates: give a smaller --warmup",
        o.trainer.max_updates, o.warmup);
  if (o.schedule == "constant") warn_of_unused(table, {"min-lr"}, "--schedule constant");
  if (o.warmup == 0) warn_of_unused(table, {"warmup-init-lr"}, "--warmup 0");
  if (o.trainer.optimizer.type == "adafactor")
    warn_of_unused(table, {"adam-beta1", "adam-beta2", "adam-epsilon"}, "--optimizer adafactor");
  if (o.trainer.optimizer.type == "adam" && o.trainer.optimizer.weight_decay > 0.0)
    spdlog::info(
        "--optimizer adam adds --weight-decay to the gradient (L2); fairseq's adam decays the "
        "weights themselves, which is --optimizer adamw here");
  if (o.processes == 1 && training::process_place().processes == 1)
    warn_of_unused(table, {"gradient-type"}, "one process");
}

void install_stop(const TrainingOptions& o) {
  install_stop_signal();
  if (o.max_time > 0) stop_after(std::chrono::duration<double, std::ratio<3600>>(o.max_time));
}

training::ProcessOptions process_options(const OptionTable& table, const TrainingOptions& o,
                                         std::vector<std::string> inputs) {
  training::Configuration shared = joined_options(table);
  for (const char* name : kOfEachProcess) shared.erase(name);
  return {.device = o.device,
          .threads = o.threads,
          .processes = o.processes,
          .accumulate = o.trainer.accumulate,
          .output = o.trainer.output,
          .inputs = std::move(inputs),
          .configuration = std::move(shared)};
}

std::optional<int> run_in_processes(training::ProcessOptions options,
                                    std::vector<std::string> command,
                                    const std::vector<std::string>& arguments) {
  if (const std::string config = config_file(arguments); !config.empty())
    options.inputs.push_back(config);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return training::run_in_processes(options, command);
}

std::vector<std::string> options_not_given(const OptionTable& table) {
  std::vector<std::string> names;
  for (const auto& [name, value] : table.resolved())
    if (!table.given(name)) names.push_back(name);
  return names;
}

training::Configuration configuration_of(const OptionTable& table, const TrainingOptions& o,
                                         const std::vector<std::string>& operational) {
  training::Configuration configuration = joined_options(table);
  for (const char* name : kOperational) configuration.erase(name);
  for (const std::string& name : operational) configuration.erase(name);
  if (training::ends_at_total(o.trainer.schedule.schedule))
    configuration["max-updates"] = std::to_string(o.trainer.max_updates);
  return configuration;
}

void reset(training::Configuration& configuration, const OptionTable& defaults,
           const std::vector<std::string>& unused) {
  const training::Configuration values = joined_options(defaults);
  for (const std::string& name : unused) {
    const auto value = values.find(name);
    if (value == values.end())
      configuration.erase(name);  // an empty list
    else
      configuration[name] = value->second;
  }
}

int exit_code(training::TrainingEnd end) {
  return end == training::TrainingEnd::kStopped ? kResumable : 0;
}

int print_dry_run(training::TrainingTask& task, const TrainingOptions& o) {
  constexpr int64_t kBatches = 3;
  const training::DryRun tried =
      training::dry_run(task, kBatches, o.trainer, o.processes, /*validates=*/true);
  std::cout << training::dry_run_text(tried, parameter_count(task.model()), o.trainer, o.processes);
  return 0;
}

}  // namespace dietmt::tools
