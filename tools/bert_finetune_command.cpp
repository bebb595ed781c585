// dietmt bert finetune: from a pre-trained encoder to one for a task, by the papers' protocol.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <memory>

#include "bert/finetuning/finetuning_data.h"
#include "bert/finetuning/protocol.h"
#include "bert/finetuning/result_table.h"
#include "bert/finetuning/start_model.h"
#include "common/error.h"
#include "common/stop_signal.h"
#include "encoders/device/device.h"
#include "tools/commands.h"
#include "tools/task_options.h"
#include "tools/training_options.h"
#include "tools/training_process.h"

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
  std::vector<double> rates;  // the same as numbers
  int64_t seeds = 1;
  int64_t batch_size = 32;
  std::optional<int64_t> epochs;
  double warmup_ratio = 0.06;
};

void bind_model(OptionTable& table, FinetuneOptions& o) {
  table.group("Model")
      .add("model", &o.start.model, "DIR",
           "pre-trained, of this program or of Hugging Face's transformers")
      .add("tokenizer", &o.start.tokenizer, "PATH", "instead of the one in --model")
      .add("output", &o.output, "DIR",
           "where runs and results go; the best run's model is in DIR/best. Of several tasks each "
           "has a folder there")
      .add("position", &o.start.position, "SPEC",
           "another position encoding; what it adds to the model starts anew")
      .add("dropout", &o.start.dropout, "P", "on residual branches; without, as in pre-training")
      .add("attention-dropout", &o.start.attention_dropout, "P", "on attention probabilities")
      .add("embedding-dropout", &o.start.embedding_dropout, "P", "on embeddings")
      .add("head-dropout", &o.start.head_dropout, "P", "before the classes");
}

void bind_protocol(OptionTable& table, FinetuneOptions& o) {
  training::OptimizerOptions& optimizer = o.trainer.optimizer;
  table.group("Training")
      .add("learning-rates", &o.learning_rates, "X,...",
           "peak rates; the best is that with the highest median over the seeds")
      .add("seeds", &o.seeds, "N", "runs of each rate, with seeds 1 to N")
      .add("epochs", &o.epochs, "N", "passes over the data; without, the task's (5 for your own)")
      .add("batch-size", &o.batch_size, "N", "examples a batch")
      .add("accumulate", &o.trainer.accumulate, "N", "batches per update")
      .add("warmup-ratio", &o.warmup_ratio, "P",
           "share of the updates in which the rate rises; then it falls to zero")
      .add("weight-decay", &optimizer.weight_decay, "X", "of matrices; biases and norms have none")
      .add("adam-beta2", &optimizer.beta2, "X", "decay of the second moment")
      .add("adam-epsilon", &optimizer.epsilon, "X", "added to the root of the second moment")
      .add("clip-norm", &o.trainer.clip_norm, "X", "largest gradient norm; 0: no clipping")
      .add("log-interval", &o.trainer.log_interval, "N", "updates between lines of progress")
      .add("resume", &o.resume, "auto|never",
           "auto: continue what is in --output; never: discard it");
}

void set_defaults(FinetuneOptions& o) {
  o.schedule = "linear";
  o.trainer.schedule.warmup_init_lr = 0.0;
  o.trainer.optimizer = {"adamw", 0.9, 0.999, 1e-6, 0.01};
}

std::vector<double> parse_rates(const std::vector<std::string>& words) {
  std::vector<double> rates;
  for (const std::string& word : split_at_commas(words)) {
    double rate = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), rate);
    if (error != std::errc() || end != word.data() + word.size() || !(rate > 0.0))
      throw ConfigError("--learning-rates has '" + word + "', expected positive numbers");
    if (std::ranges::find(rates, rate) != rates.end())
      throw ConfigError("--learning-rates has " + word + " twice");
    rates.push_back(rate);
  }
  if (rates.empty()) throw ConfigError("--learning-rates is empty");
  return rates;
}

void validate(const OptionTable& table, FinetuneOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool good, const std::string& message) {
    if (!good) problems.push_back(message);
  };
  require(!o.start.model.empty(), "--model is missing");
  require(!o.output.empty(), "--output is missing");
  require(o.seeds >= 1, "--seeds must be positive");
  require(o.batch_size >= 1, "--batch-size must be positive");
  require(o.epochs.value_or(1) >= 1, "--epochs must be positive");
  require(o.warmup_ratio >= 0.0 && o.warmup_ratio < 1.0,
          "--warmup-ratio must be at least 0 and below 1");
  try {
    o.rates = parse_rates(o.learning_rates);
  } catch (const ConfigError& error) {
    problems.emplace_back(error.what());
  }
  for (const std::string& problem : resolve(table, o)) problems.push_back(problem);
  for (const std::string& problem : resolve(o)) problems.push_back(problem);
  throw_if_any(problems);
}

// Without the end of its last line, which the help adds.
std::string task_list() {
  std::string list = data::task_help();
  list.pop_back();
  return list;
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
        configuration_(configuration_of(table, o, {"task", "learning-rates", "seeds"})) {
    configuration_["task"] = description_.task.name;
    configuration_["epochs"] = std::to_string(epochs());
    configuration_.erase("max-updates");  // follows from the epochs
  }

  const TaskDescription& description() const { return description_; }

  void check() const {
    const auto model = bert::start_model(o_.start, description_, 1);
    bert::check_start(*model, *tokenizer_, description_);
    spdlog::info("{}: {} parameters, {} updates an epoch, {} epochs", description_.task.name,
                 parameter_count(*model), updates_per_epoch(), epochs());
  }

  /// None: stopped by a signal.
  std::optional<ProtocolSummary> run() const {
    if (o_.resume == "never") bert::discard_runs(output_);
    bert::ProtocolOptions protocol{output_,
                                   o_.rates,
                                   {},
                                   description_.task.metrics.front(),
                                   configuration_,
                                   bert::content_hash(data_)};
    for (int64_t seed = 1; seed <= o_.seeds; ++seed) protocol.seeds.push_back(seed);
    return bert::run_protocol(protocol, [&](const RunSetting& setting, const fs::path& directory) {
      return train(setting, directory);
    });
  }

 private:
  int64_t epochs() const { return o_.epochs.value_or(description_.task.epochs); }

  int64_t updates_per_epoch() const {
    const int64_t batches = bert::batches_in_epoch(bert::training_inputs(data_), o_.batch_size);
    return (batches + o_.trainer.accumulate - 1) / o_.trainer.accumulate;
  }

  training::TrainerOptions trainer_options(const RunSetting& setting,
                                           const fs::path& directory) const {
    training::TrainerOptions trainer = o_.trainer;
    trainer.output = directory;
    trainer.seed = static_cast<uint64_t>(setting.seed);
    trainer.valid_interval = updates_per_epoch();
    trainer.max_updates = epochs() * updates_per_epoch();
    trainer.valid_metric = description_.task.metrics.front();
    trainer.schedule.peak_lr = setting.learning_rate;
    trainer.schedule.total_updates = trainer.max_updates;
    trainer.schedule.warmup_updates =
        static_cast<int64_t>(o_.warmup_ratio * static_cast<double>(trainer.max_updates));
    return trainer;
  }

  training::TrainingEnd train(const RunSetting& setting, const fs::path& directory) const {
    const auto seed = static_cast<uint64_t>(setting.seed);
    const at::Device device = encoders::parse_device(o_.device);
    const auto model = bert::start_model(o_.start, description_, seed);
    model->set_attention_backend(encoders::parse_backend(o_.attention_backend));
    model->set_recomputation(o_.checkpoint_activations);
    model->to(device);
    const auto task = bert::make_task(model, *tokenizer_, description_, data_,
                                      {{o_.batch_size, seed}, {device, o_.trainer.bf16}});
    const storage::OutputLock lock(directory);
    return training::train(*task, trainer_options(setting, directory), configuration_, true);
  }

  const FinetuneOptions& o_;
  TaskDescription description_;
  fs::path output_;
  std::unique_ptr<data::BertTokenizer> tokenizer_;
  bert::FinetuningData data_;
  std::map<std::string, std::string> configuration_;
};

int run(const OptionTable& table, const FinetuneOptions& o) {
  install_stop_signal();
  encoders::set_threads(o.threads);
  std::vector<bert::TaskMedians> medians;
  for (const TaskDescription& description : describe_tasks(o)) {
    const Finetuning finetuning(table, o, description);
    finetuning.check();
    if (o.dry_run) continue;
    const std::optional<ProtocolSummary> summary = finetuning.run();
    if (!summary) return exit_code(training::TrainingEnd::kStopped);
    std::cout << bert::rate_table(description.task.name, *summary) << std::endl;
    medians.push_back({description.task, summary->best_rate().medians});
  }
  if (!o.tasks.empty() && !medians.empty()) std::cout << bert::paper_rows(medians);
  return 0;
}

}  // namespace

int run_bert_finetune(const std::vector<std::string>& arguments) {
  FinetuneOptions options;
  set_defaults(options);
  OptionTable table(
      "bert finetune",
      "--model DIR (--task NAME --data DIR | --train FILE --valid FILE...) --output DIR",
      "Trains an encoder for a task. Each epoch is validated, and a run counts with its best one. "
      "Of all runs only\nthe weights of the best are kept, in OUTPUT/best; the checkpoints of a "
      "run are removed when its result is\nstored. Run the same command again to resume after a "
      "stop; more seeds or learning rates add runs.\n\nTasks:\n" +
          task_list());
  bind_model(table, options);
  bind_task(table, options);
  bind_protocol(table, options);
  bind_machine(table, options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  validate(table, options);
  require_one_process("bert finetune");
  return run(table, options);
}

}  // namespace dietmt::tools
