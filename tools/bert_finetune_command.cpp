// dietmt bert finetune: from a pre-trained encoder to one for a task, by the papers' protocol.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "bert/finetuning/finetuning_setup.h"
#include "bert/finetuning/protocol.h"
#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/numbers.h"
#include "common/process.h"
#include "encoders/device/device.h"
#include "storage/output_lock.h"
#include "tools/bert_model_options.h"
#include "tools/commands.h"
#include "tools/model_options.h"
#include "tools/task_options.h"
#include "tools/training_options.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

using bert::ProtocolSummary;
using bert::RunSetting;
using bert::TaskDescription;

struct FinetuneOptions : TaskOptions, TrainingOptions {
  bert::StartOptions start;
  std::string output;
  std::vector<std::string> learning_rates = {"2e-5"};
  std::vector<double> rates;  // learning_rates as numbers
  int64_t seeds = 1;
  int64_t batch_size = 32;
  std::optional<int64_t> epochs;
  double warmup_ratio = 0.06;
  std::string checkpoint = "best";
  std::string statistic = "median";
  std::optional<int64_t> valid_interval;
};

void set_defaults(FinetuneOptions& o) {
  o.schedule = "linear";
  o.trainer.schedule.warmup_init_lr = 0.0;
  o.trainer.optimizer = {"adamw", 0.9, 0.999, 1e-6, 0.01};
}

// Without the last line feed, which the help adds.
std::string task_list() {
  std::string list = data::task_help();
  list.pop_back();
  return list;
}

void bind_protocol(OptionTable& table, FinetuneOptions& o) {
  table.group("Training")
      .add("learning-rates", &o.learning_rates, "X,...",
           "peak learning rates; the one with the highest score over the seeds wins")
      .add("seeds", &o.seeds, "N", "runs of each learning rate, with seeds 1 to N",
           {.least = 1, .most = 100'000})
      .add("epochs", &o.epochs, "N", "epochs; default: those of the task, 5 for your own",
           {.least = 1, .most = 1'000'000})
      .add("valid-interval", &o.valid_interval, "N",
           "updates between validations; default: at the end of each epoch", {.least = 1})
      .add("checkpoint", &o.checkpoint, "",
           "which validated checkpoint of a run counts: the best or the last",
           {.choices = {"best", "last"}})
      .add("statistic", &o.statistic, "", "what stands for the seeds of a learning rate",
           {.choices = {"median", "mean"}})
      .add("batch-size", &o.batch_size, "N", "batch size in examples",
           {.least = 1, .most = 1'000'000})
      .add("accumulate", &o.trainer.accumulate, "N", "batches per update", {.least = 1})
      .add("warmup-ratio", &o.warmup_ratio, "P",
           "share of the updates for linear warm-up, before linear decay to zero",
           {.least = 0, .below = 1});
  add_optimizer(table, o.trainer.optimizer);
  add_clip_norm(table, o.trainer.clip_norm);
  add_log_interval(table, o.trainer.log_interval);
  add_resume(table, o.resume);
  add_max_time(table, o.max_time);
}

OptionTable option_table(FinetuneOptions& o) {
  OptionTable table(
      "bert finetune",
      "--model DIR (--task NAME --data DIR | --train FILE --valid FILE...) --output DIR",
      "Fine-tunes an encoder for a task. Each epoch is validated, and a run counts with its best "
      "epoch,\nunless other options say so. Only the weights of the best run are kept, in "
      "OUTPUT/best; the checkpoints of a "
      "run are removed\nwhen its result is stored. Run the same command again to resume after a "
      "stop; more seeds or\nlearning rates add runs.\n\nTasks:\n" +
          task_list());
  table.group("Model")
      .add("model", &o.start.model, "DIR", "pre-trained dietmt or Hugging Face model",
           {.required = true})
      .add("tokenizer", &o.start.tokenizer, "PATH", "tokenizer; default: the one in --model")
      .add("output", &o.output, "DIR",
           "directory for runs and results, with the best run's model in DIR/best; several tasks "
           "get a directory each in it",
           {.required = true})
      .add("position", &o.start.position, "SPEC",
           "replace the position encoding; the new one starts from random values");
  add_dropout(table, "dropout", &o.start.dropout,
              "dropout on residual branches; default: as in pre-training");
  add_dropout(table, "attention-dropout", &o.start.attention_dropout,
              "dropout on attention probabilities");
  add_dropout(table, "embedding-dropout", &o.start.embedding_dropout, "dropout on embeddings");
  add_dropout(table, "head-dropout", &o.start.head_dropout,
              "dropout before the output layer of classes, numbers and tags");
  bind_task(table, o);
  bind_protocol(table, o);
  bind_machine(table, o);
  table
      .basics({"task", "data", "train", "valid", "kind", "format", "first", "second", "label",
               "learning-rates", "seeds", "epochs", "batch-size", "device", "dry-run"})
      .example("dietmt bert finetune --model bert --task rte --data GLUE --output rte")
      .example(
          "dietmt bert finetune --model bert --train train.tsv --valid dev.tsv --first text "
          "--label class --output out");
  return table;
}

std::vector<double> parse_rates(const std::vector<std::string>& words) {
  std::vector<double> rates;
  for (const std::string& word : split_at_commas(words)) {
    const auto rate = number_in<double>(word);
    if (!rate)
      throw ConfigError("--learning-rates has '" + word + "'; each must be a number " +
                        kPeakLearningRate.text());
    const std::string problem = kPeakLearningRate.problem("--learning-rates", *rate);
    if (!problem.empty()) throw ConfigError(problem);
    if (std::ranges::find(rates, *rate) != rates.end())
      throw ConfigError("--learning-rates has " + word + " twice");
    rates.push_back(*rate);
  }
  if (rates.empty()) throw ConfigError("--learning-rates is empty");
  return rates;
}

std::vector<std::string> problems_of(const OptionTable& table, FinetuneOptions& o) {
  std::vector<std::string> problems;
  try {
    o.rates = parse_rates(o.learning_rates);
  } catch (const ConfigError& error) {
    problems.emplace_back(error.what());
  }
  for (const std::string& problem : resolve(table, o)) problems.push_back(problem);
  for (const std::string& problem : resolve_training(table, o)) problems.push_back(problem);
  return problems;
}

bert::SeedStatistic statistic_of(const FinetuneOptions& o) {
  return o.statistic == "mean" ? bert::SeedStatistic::kMean : bert::SeedStatistic::kMedian;
}

// One task: its data, and all its runs.
class Finetuning {
 public:
  Finetuning(const OptionTable& table, const FinetuneOptions& o, TaskDescription description)
      : o_(o),
        description_(std::move(description)),
        output_(o.tasks.size() > 1 ? fs::path(o.output) / description_.task.name
                                   : fs::path(o.output)),
        tokenizer_(bert::start_tokenizer(o.start)),
        data_(bert::read_data(description_, files_of(o, description_.task), *tokenizer_)),
        configuration_(
            configuration_of(table, o, {"task", "learning-rates", "seeds", "statistic"})) {
    bert::require_output_for_runs(output_, bert::pretrained_directory(o.start.model));
    configuration_["task"] = description_.task.name;
    configuration_["epochs"] = std::to_string(epochs());
    configuration_.erase("max-updates");  // follows from the epochs
    start_hash_ = bert::content_hash(bert::pretrained_directory(o.start.model));
  }

  const TaskDescription& description() const { return description_; }

  void check() const {
    const auto model = bert::start_model(o_.start, description_, 1);
    bert::check_start(*model, *tokenizer_, description_);
    require_training_memory(*model, o_.start.model, bytes_per_weight(o_));
    spdlog::info("{}: {} parameters, {} batches per epoch, {} epochs, {} updates",
                 description_.task.name, parameter_count(*model), epoch_batches(), epochs(),
                 updates());
  }

  /// A dry run of one of the runs.
  void dry_run() const {
    TrainingOptions of_run = o_;
    of_run.trainer = trainer_options({o_.rates.front(), 1}, output_);
    std::cout << "task        " << description_.task.name << "\nruns        "
              << o_.rates.size() * static_cast<size_t>(o_.seeds) << ", each as follows\n";
    print_dry_run(*make_task(of_run.trainer.seed), of_run);
  }

  /// None: stopped by a signal.
  std::optional<ProtocolSummary> run() const {
    const storage::OutputLock lock(output_);
    if (o_.resume == "never") bert::discard_runs(output_);
    bert::ProtocolOptions protocol{output_,
                                   o_.rates,
                                   {},
                                   description_.task.metrics.front(),
                                   configuration_,
                                   bert::content_hash(data_),
                                   start_hash_,
                                   statistic_of(o_),
                                   o_.checkpoint == "last"};
    for (int64_t seed = 1; seed <= o_.seeds; ++seed) protocol.seeds.push_back(seed);
    return bert::run_protocol(protocol, [&](const RunSetting& setting, const fs::path& directory) {
      return train(setting, directory);
    });
  }

 private:
  int64_t epochs() const { return o_.epochs.value_or(description_.task.epochs); }

  int64_t epoch_batches() const {
    return bert::batches_in_epoch(bert::training_inputs(data_), o_.batch_size);
  }

  // Epochs run on into each other: only the last update may have batches of an epoch more.
  int64_t updates() const {
    const int64_t accumulate = o_.trainer.accumulate;
    return (epochs() * epoch_batches() + accumulate - 1) / accumulate;
  }

  training::TrainerOptions trainer_options(const RunSetting& setting,
                                           const fs::path& directory) const {
    training::TrainerOptions trainer = o_.trainer;
    trainer.output = directory;
    trainer.seed = static_cast<uint64_t>(setting.seed);
    if (o_.valid_interval)
      trainer.valid_interval = *o_.valid_interval;
    else
      trainer.epoch_batches = epoch_batches();
    trainer.max_updates = updates();
    trainer.valid_metric = description_.task.metrics.front();
    trainer.schedule.peak_lr = setting.learning_rate;
    trainer.schedule.total_updates = trainer.max_updates;
    trainer.schedule.warmup_updates =
        static_cast<int64_t>(o_.warmup_ratio * static_cast<double>(trainer.max_updates));
    return trainer;
  }

  std::unique_ptr<bert::FinetuningTask> make_task(uint64_t seed) const {
    const at::Device device = encoders::parse_device(o_.device);
    const auto model = bert::start_model(o_.start, description_, seed);
    model->set_attention_backend(encoders::parse_backend(o_.attention_backend));
    model->set_recomputation(o_.checkpoint_activations);
    model->to(device);
    return bert::make_task(model, *tokenizer_, description_, data_,
                           {{o_.batch_size, seed}, {device, o_.trainer.bf16}, start_hash_});
  }

  training::TrainingEnd train(const RunSetting& setting, const fs::path& directory) const {
    const auto task = make_task(static_cast<uint64_t>(setting.seed));
    return training::train(*task, trainer_options(setting, directory), configuration_, true);
  }

  const FinetuneOptions& o_;
  TaskDescription description_;
  fs::path output_;
  std::unique_ptr<data::BertTokenizer> tokenizer_;
  bert::FinetuningData data_;
  uint64_t start_hash_ = 0;
  std::map<std::string, std::string> configuration_;
};

int run(const OptionTable& table, const FinetuneOptions& o) {
  install_stop(o);
  encoders::set_threads(o.threads);
  warn_of_training_options(table, o);
  std::vector<std::unique_ptr<const Finetuning>> tasks;
  for (const TaskDescription& description : describe_tasks(o)) {
    tasks.push_back(std::make_unique<const Finetuning>(table, o, description));
    tasks.back()->check();  // before any is trained
  }
  std::vector<bert::TaskScores> scores;
  for (auto& finetuning : tasks) {
    if (o.dry_run) {
      finetuning->dry_run();
      continue;
    }
    const std::optional<ProtocolSummary> summary = finetuning->run();
    if (!summary) return exit_code(training::TrainingEnd::kStopped);
    const data::Task task = finetuning->description().task;
    finetuning.reset();  // its data
    std::cout << bert::rate_table(task.name, *summary) << std::endl;
    scores.push_back({task, summary->best_rate().scores});
  }
  if (!o.tasks.empty() && !scores.empty()) std::cout << bert::paper_rows(scores, statistic_of(o));
  return 0;
}

}  // namespace

int run_bert_finetune(const std::vector<std::string>& arguments) {
  FinetuneOptions options;
  set_defaults(options);
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(table, options));
  training::require_one_process("bert finetune");
  return run(table, options);
}

}  // namespace dietmt::tools
