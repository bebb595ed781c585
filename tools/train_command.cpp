// dietmt train: from two text files to a trained translator.
#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "common/stop_signal.h"
#include "common/text_io.h"
#include "data/text/source_tag.h"
#include "encoders/attention/attention.h"
#include "nmt/network/model_directory.h"
#include "nmt/training/translation_task.h"
#include "storage/checkpoint.h"
#include "tools/commands.h"
#include "tools/initial_model.h"
#include "tools/train_options.h"
#include "tools/training_process.h"
#include "training/loop/rehearsal.h"
#include "training/loop/trainer.h"
#include "training/loop/training_state.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

// The model that this training goes on from. A resumed one keeps what its checkpoint has, whatever
// has become of the files that it came from.
struct InitialModel {
  nmt::ModelFiles files;
  bool resumed = false;
};

std::optional<InitialModel> find_initial_model(const TrainOptions& o) {
  if (o.resume == "auto" && !o.output.empty()) {
    const auto checkpoint = storage::newest_checkpoint(o.output);
    if (checkpoint) return {{nmt::open_model(checkpoint->directory), true}};
  }
  if (!o.init_from) return std::nullopt;
  InitialModel found{nmt::open_model(*o.init_from)};
  found.files.require_full_weights();
  return found;
}

int print_largest_batch(const training::TaskOfBatches& make_task, const TrainOptions& o,
                        const at::Device& device) {
  const int64_t tokens =
      training::find_batch(make_task, device.is_cpu(), o.trainer.seed, o.processes);
  if (tokens == 0) throw Error("--find-batch: the model leaves no memory for any batch");
  std::cout << "--batch-tokens " << tokens << '\n';
  return 0;
}

std::vector<std::string> input_files(const TrainOptions& o) {
  std::vector<std::string> files = {o.valid_source, o.valid_target};
  files.insert(files.end(), o.train_source.begin(), o.train_source.end());
  files.insert(files.end(), o.train_target.begin(), o.train_target.end());
  return files;
}

// A sentence without a position for each token would end the training when its batch comes.
void require_positions(const nmt::TranslationModel& model, const TrainOptions& o) {
  const int64_t others = o.tags().empty() ? 1 : 2;  // the end of the sentence and a tag
  const int64_t longest = std::min(model.max_source_length(), model.max_target_length()) - others;
  if (o.filter.max_tokens <= longest) return;
  throw ConfigError("--max-tokens " + std::to_string(o.filter.max_tokens) +
                    " lets in sentences that are longer than the position encoding reaches: give "
                    "at most " +
                    std::to_string(longest) + ", or --max-positions " +
                    std::to_string(o.filter.max_tokens + others) + " or more");
}

// What a resumed training must agree with, before any work on the text.
training::Configuration checked_configuration(const OptionTable& table, const TrainOptions& o,
                                              const std::optional<InitialModel>& initial) {
  training::Configuration configuration =
      configuration_of(table, o, {"valid-batch-tokens", "find-batch"});
  if (initial && initial->resumed)
    training::require_same_configuration(initial->files.directory, configuration);
  return configuration;
}

int run(const OptionTable& table, const training::Configuration& configuration, TrainOptions& o,
        const std::optional<InitialModel>& initial) {
  install_stop_signal();
  const TrainingProcess process = join_training(table, o, o.output, input_files(o));
  const fs::path folder = fs::path(o.output) / "data";
  const auto seed = static_cast<uint64_t>(o.seed);

  training::FirstTurn turn(process.group.get());
  // A new training never takes over tokenizers that an earlier attempt has left.
  const nmt::Tokenizers tokenizers =
      initial ? initial->files.tokenizers : choose_tokenizers(o, o, seed, folder, process);
  o.model.source_vocabulary = tokenizers.source->vocabulary_size();
  o.model.target_vocabulary = tokenizers.target->vocabulary_size();
  const auto model = initial && o.init_from
                         ? start_from(initial->files, o.model, seed)
                         : std::make_shared<nmt::TranslationModel>(o.model, seed);
  require_positions(*model, o);
  // The validation text first: it is short, and what is wrong with it shows at once.
  const data::ParallelCorpus valid({o.valid_files()}, *tokenizers.source, *tokenizers.target,
                                   o.filter, folder, process.threads);
  spdlog::info("validation text: {}", valid.report().summary());
  const data::ParallelCorpus train = open_training_text(o, tokenizers, folder, process.threads);
  const std::vector<double> weights = corpus_weights(o, train);
  turn.done();

  model->set_attention_backend(encoders::parse_backend(o.attention_backend));
  model->set_recomputation(o.checkpoint_activations);
  model->to(process.device);
  spdlog::info("model: {} parameters, {} pieces", parameter_count(*model),
               o.model.target_vocabulary);

  nmt::TranslationTaskOptions task_options;
  task_options.batches = {o.batch_tokens, seed, weights, process.share};
  task_options.label_smoothing = o.label_smoothing;
  task_options.bf16 = o.trainer.bf16;
  task_options.device = process.device;
  task_options.valid_tokenizer = o.valid_tokenizer;
  task_options.valid_lowercase = o.valid_lowercase;
  task_options.search = o.search;
  if (!o.no_valid_translation) {
    task_options.valid_source = read_lines(o.valid_source);
    const data::SourceTag tag(*tokenizers.source, o.valid_source_tag.value_or(""));
    for (std::string& line : task_options.valid_source)
      if (!line.empty()) line = tag.before(line);
    task_options.valid_reference = read_lines(o.valid_target);
  }
  const auto task_of_batches = [&](int64_t batch_tokens) {
    task_options.batches.batch_tokens = batch_tokens;
    return std::make_unique<nmt::TranslationTask>(model, train, valid, *tokenizers.source,
                                                  *tokenizers.target, task_options);
  };
  if (o.find_batch) return print_largest_batch(task_of_batches, o, process.device);
  const auto task = task_of_batches(o.batch_tokens);
  if (o.dry_run) return print_rehearsal(*task, o);
  return exit_code(
      training::train(*task, o.trainer, configuration, o.resume == "auto", process.group.get()));
}

}  // namespace

int run_train(const std::vector<std::string>& arguments) {
  TrainOptions options;
  OptionTable table(
      "train",
      "--train-source FILE... --train-target FILE... --valid-source FILE "
      "--valid-target FILE --output DIR",
      "Trains an encoder-decoder Transformer on parallel text (plain or .gz). Run the "
      "same command again to resume after a stop. Exit code 75: stopped by a signal, or a process "
      "of several was lost; the same command continues from the last checkpoint.");
  bind(table, options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  const std::optional<InitialModel> initial = find_initial_model(options);
  std::vector<std::string> problems;
  if (options.init_from && initial) {
    problems = keep_sizes(table, initial->files, options);
    if (!initial->resumed) {
      for (const std::string& problem : vocabulary_contradictions(table, options, initial->files))
        problems.push_back(problem);
    }
  } else {
    apply_preset(table, options);
  }
  if (print_position_help(options)) return 0;
  validate(options, std::move(problems), initial.has_value());
  const training::Configuration configuration = checked_configuration(table, options, initial);
  // What only tries batches needs one process.
  if (!options.dry_run && !options.find_batch) {
    if (const auto code = run_in_processes(options, input_files(options), {"train"}, arguments))
      return *code;
  }
  return run(table, configuration, options, initial);
}

}  // namespace dietmt::tools
