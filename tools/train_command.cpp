// dietmt train: from two text files to a trained translator.
#include <spdlog/spdlog.h>
#include <torch/torch.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "common/stop_signal.h"
#include "common/text_io.h"
#include "data/source_tag.h"
#include "encoders/attention/attention.h"
#include "metrics/bleu_tokenizer.h"
#include "nmt/model/model_directory.h"
#include "nmt/training/translation_task.h"
#include "tools/commands.h"
#include "tools/corpus_options.h"
#include "tools/initial_model.h"
#include "tools/model_options.h"
#include "tools/tokenizer_choice.h"
#include "tools/training_options.h"
#include "tools/training_process.h"
#include "training/checkpoint.h"
#include "training/rehearsal.h"
#include "training/trainer.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct TrainOptions : CorpusOptions, TokenizerChoice, ModelOptions, TrainingOptions {
  std::string output;
  std::optional<std::string> init_from;
  int64_t batch_tokens = 4096;
  bool find_batch = false;

  double label_smoothing = 0.1;

  bool no_valid_translation = false;
  std::string valid_tokenizer = "13a";
  bool valid_lowercase = false;
  nmt::SearchOptions search;
};

void bind_data(OptionTable& table, TrainOptions& o) {
  table.group("Data");
  bind_corpora(table, o);
  table.add("output", &o.output, "DIR", "where checkpoints, progress and report go")
      .add("batch-tokens", &o.batch_tokens, "N",
           "a batch has at most N target and 2 N source tokens");
}

void bind_training(OptionTable& table, TrainOptions& o) {
  bind_updates(table, o);
  table.add("label-smoothing", &o.label_smoothing, "P",
            "share of probability spread over all pieces");
  bind_checkpoints(table, o);
  table
      .add("no-valid-translation", &o.no_valid_translation, "",
           "measure valid_loss alone, without bleu and chrf by beam search")
      .add("valid-beam", &o.search.beam, "N", "beam size of that search")
      .add("valid-tokenize", &o.valid_tokenizer, "NAME",
           "tokenizer of BLEU: 13a, intl, char, zh, or none for text that is tokenized")
      .add("valid-lowercase", &o.valid_lowercase, "", "lower-case both sides for BLEU and chrF")
      .add("valid-batch-tokens", &o.search.batch_tokens, "N", "source tokens translated together");
  bind_machine(table, o);
  bind_processes(table, o);
  table.add("find-batch", &o.find_batch, "",
            "try batches of growing size, print the largest --batch-tokens that fits, stop");
}

void validate(TrainOptions& o, std::vector<std::string> problems) {
  const auto require = [&](bool good, const std::string& message) {
    if (!good) problems.push_back(message);
  };
  const auto add = [&](const std::vector<std::string>& more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  add(o.CorpusOptions::problems());
  add(o.TokenizerChoice::problems());
  require(!o.output.empty(), "--output is missing");
  require(o.batch_tokens >= 1, "--batch-tokens must be positive");
  require(o.label_smoothing >= 0.0 && o.label_smoothing < 1.0,
          "--label-smoothing must be at least 0 and below 1");
  require(!o.separate() || o.model.tied_embeddings != "all",
          "--tied-embeddings all needs a joint tokenizer; choose none or decoder");
  try {
    metrics::bleu_tokenizer_from_name(o.valid_tokenizer);
    training::require_score(nmt::TranslationTask::possible_scores(!o.no_valid_translation),
                            o.trainer.valid_metric);
  } catch (const ConfigError& error) {
    problems.push_back(error.what());
  }
  o.trainer.output = o.output;
  add(resolve(o));
  add(o.search.problems());
  add(model_problems(o.model));
  throw_if_any(problems);
}

// The model that this training goes on from. A resumed one keeps what its checkpoint has, whatever
// has become of the files that it came from.
struct InitialModel {
  nmt::ModelFiles files;
  bool resumed = false;
};

std::optional<InitialModel> find_initial_model(const TrainOptions& o) {
  if (o.resume == "auto" && !o.output.empty()) {
    const auto checkpoint = training::newest_checkpoint(o.output);
    if (checkpoint) return {{nmt::open_model(checkpoint->directory), true}};
  }
  if (!o.init_from) return std::nullopt;
  InitialModel found{nmt::open_model(*o.init_from)};
  found.files.require_full_weights();
  return found;
}

int print_largest_batch(const training::TaskOfBatches& make_task, const TrainOptions& o,
                        const at::Device& device) {
  const int64_t tokens = training::find_batch(make_task, device.is_cpu(), o.trainer.seed);
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

int run(const OptionTable& table, TrainOptions& o, const std::optional<InitialModel>& initial) {
  install_stop_signal();
  const TrainingProcess process = join_training(o, o.output, input_files(o));
  const fs::path folder = fs::path(o.output) / "data";
  const auto seed = static_cast<uint64_t>(o.seed);

  training::FirstTurn turn(process.group.get());
  // A new training never takes over tokenizers that an earlier attempt has left.
  const nmt::Tokenizers tokenizers =
      initial ? initial->files.tokenizers : choose_tokenizers(o, o, seed, folder, process);
  const data::ParallelCorpus train = open_training_text(o, tokenizers, folder, process.threads);
  const data::ParallelCorpus valid({o.valid_files()}, *tokenizers.source, *tokenizers.target,
                                   o.filter, folder, process.threads);
  spdlog::info("validation text: {}", valid.report().summary());
  const std::vector<double> weights = corpus_weights(o, train);
  turn.done();

  o.model.source_vocabulary = tokenizers.source->vocabulary_size();
  o.model.target_vocabulary = tokenizers.target->vocabulary_size();
  const auto model = initial && o.init_from
                         ? start_from(initial->files, o.model, seed)
                         : std::make_shared<nmt::TranslationModel>(o.model, seed);
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
  return exit_code(training::train(*task, o.trainer,
                                   configuration_of(table, o, {"valid-batch-tokens", "find-batch"}),
                                   o.resume == "auto", process.group.get()));
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
  bind_data(table, options);
  bind_tokenizers(table, options);
  bind_model_options(table, options);
  table.add("init-from", &options.init_from, "MODEL",
            "start from the weights of this model, for another domain or other positions: its "
            "subwords and sizes are kept, and so is all that no option gives");
  bind_training(table, options);
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
  validate(options, std::move(problems));
  // What only tries batches needs one process.
  if (!options.dry_run && !options.find_batch) {
    if (const auto code = run_in_processes(options, input_files(options), {"train"}, arguments))
      return *code;
  }
  return run(table, options, initial);
}

}  // namespace dietmt::tools
