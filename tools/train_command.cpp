// dietmt train: from two text files to a trained translator.
#include <spdlog/spdlog.h>
#include <torch/torch.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "common/stop_signal.h"
#include "common/text_io.h"
#include "data/parallel_corpus.h"
#include "data/tokenizer.h"
#include "encoders/attention/attention.h"
#include "metrics/bleu_tokenizer.h"
#include "nmt/model/model_directory.h"
#include "nmt/training/translation_task.h"
#include "tools/commands.h"
#include "tools/model_options.h"
#include "tools/training_options.h"
#include "tools/training_process.h"
#include "training/checkpoint.h"
#include "training/trainer.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct TrainOptions : ModelOptions, TrainingOptions {
  std::vector<std::string> train_source, train_target;
  std::string valid_source, valid_target;
  std::string output;
  std::string tokenizer, source_tokenizer, target_tokenizer;
  int64_t vocabulary_size = 8000;
  std::string tokenizer_type = "bpe";
  bool separate_tokenizers = false;
  data::LengthFilter filter;
  int64_t batch_tokens = 4096;

  double label_smoothing = 0.1;

  bool no_valid_translation = false;
  std::string valid_tokenizer = "13a";
  bool valid_lowercase = false;
  nmt::SearchOptions search;
};

void bind_data(OptionTable& table, TrainOptions& o) {
  table.group("Data")
      .add("train-source", &o.train_source, "FILE...", "source side of the training text")
      .add("train-target", &o.train_target, "FILE...", "target side, line by line the translations")
      .add("valid-source", &o.valid_source, "FILE", "source side of the validation text")
      .add("valid-target", &o.valid_target, "FILE", "target side of the validation text")
      .add("output", &o.output, "DIR", "where checkpoints, progress and report go")
      .add("batch-tokens", &o.batch_tokens, "N",
           "a batch has at most N target and 2 N source tokens")
      .add("min-tokens", &o.filter.min_tokens, "N", "drop pairs with a shorter side")
      .add("max-tokens", &o.filter.max_tokens, "N", "drop pairs with a longer side")
      .add("max-ratio", &o.filter.max_ratio, "X",
           "drop pairs whose lengths differ by more than this factor; 0: keep");
  table.group("Subwords")
      .add(
          "tokenizer", &o.tokenizer, "FILE",
          "sentencepiece model for both languages; without one, it is trained on the training text")
      .add("source-tokenizer", &o.source_tokenizer, "FILE", "a model for the source alone")
      .add("target-tokenizer", &o.target_tokenizer, "FILE", "a model for the target alone")
      .add("vocab-size", &o.vocabulary_size, "N", "pieces of a trained model")
      .add("tokenizer-type", &o.tokenizer_type, "bpe|unigram", "type of a trained model")
      .add("separate-tokenizers", &o.separate_tokenizers, "",
           "train one model a language instead of a joint one");
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
}

void validate(TrainOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool good, const std::string& message) {
    if (!good) problems.push_back(message);
  };
  require(!o.train_source.empty(), "--train-source is missing");
  require(!o.train_target.empty(), "--train-target is missing");
  require(!o.valid_source.empty(), "--valid-source is missing");
  require(!o.valid_target.empty(), "--valid-target is missing");
  require(!o.output.empty(), "--output is missing");
  require(o.train_source.size() == o.train_target.size(),
          "--train-source and --train-target name different numbers of files");
  require(o.batch_tokens >= 1, "--batch-tokens must be positive");
  require(o.label_smoothing >= 0.0 && o.label_smoothing < 1.0,
          "--label-smoothing must be at least 0 and below 1");
  require(o.source_tokenizer.empty() == o.target_tokenizer.empty(),
          "--source-tokenizer and --target-tokenizer go together");
  require(o.tokenizer.empty() || o.source_tokenizer.empty(),
          "--tokenizer and --source-tokenizer exclude each other");
  const bool separate = o.separate_tokenizers || !o.source_tokenizer.empty();
  require(!separate || o.model.tied_embeddings != "all",
          "--tied-embeddings all needs a joint tokenizer; choose none or decoder");
  try {
    metrics::bleu_tokenizer_from_name(o.valid_tokenizer);
    training::require_score(nmt::TranslationTask::possible_scores(!o.no_valid_translation),
                            o.trainer.valid_metric);
  } catch (const ConfigError& error) {
    problems.push_back(error.what());
  }
  o.trainer.output = o.output;
  for (const std::string& problem : resolve(o)) problems.push_back(problem);
  for (const std::string& problem : o.search.problems()) problems.push_back(problem);
  for (const std::string& problem : model_problems(o.model)) problems.push_back(problem);
  throw_if_any(problems);
}

// The first process trains it, before the others come here.
std::shared_ptr<const data::Tokenizer> trained_tokenizer(const TrainOptions& o,
                                                         std::vector<std::string> inputs,
                                                         const fs::path& file,
                                                         const TrainingProcess& process) {
  if (!process.is_first()) return std::make_shared<data::Tokenizer>(file);
  data::TokenizerOptions options;
  options.inputs = std::move(inputs);
  options.vocabulary_size = o.vocabulary_size;
  options.type = o.tokenizer_type;
  options.seed = static_cast<uint64_t>(o.seed);
  options.threads = process.threads;
  spdlog::info("training the tokenizer {}", file.string());
  data::train_tokenizer(options, file);
  return std::make_shared<data::Tokenizer>(file);
}

// A resumed training keeps the tokenizers of its checkpoint, whatever has become of the files that
// they came from; a new one never takes over what an earlier attempt has left.
nmt::Tokenizers prepare_tokenizers(const TrainOptions& o, const TrainingProcess& process) {
  if (o.resume == "auto") {
    const auto checkpoint = training::newest_checkpoint(o.output);
    if (checkpoint) return nmt::load_tokenizers(checkpoint->directory);
  }
  if (!o.tokenizer.empty()) {
    const auto joint = std::make_shared<data::Tokenizer>(o.tokenizer);
    return {joint, joint};
  }
  if (!o.source_tokenizer.empty()) {
    return {std::make_shared<data::Tokenizer>(o.source_tokenizer),
            std::make_shared<data::Tokenizer>(o.target_tokenizer)};
  }
  const fs::path directory = fs::path(o.output) / "data";
  if (o.separate_tokenizers) {
    return {trained_tokenizer(o, o.train_source, directory / "source.tokenizer.model", process),
            trained_tokenizer(o, o.train_target, directory / "target.tokenizer.model", process)};
  }
  std::vector<std::string> both = o.train_source;
  both.insert(both.end(), o.train_target.begin(), o.train_target.end());
  const auto joint = trained_tokenizer(o, std::move(both), directory / "tokenizer.model", process);
  return {joint, joint};
}

std::vector<std::string> input_files(const TrainOptions& o) {
  std::vector<std::string> files = {o.valid_source, o.valid_target};
  files.insert(files.end(), o.train_source.begin(), o.train_source.end());
  files.insert(files.end(), o.train_target.begin(), o.train_target.end());
  return files;
}

int run(const OptionTable& table, TrainOptions& o) {
  install_stop_signal();
  const TrainingProcess process = join_training(o, o.output, input_files(o));

  training::FirstTurn turn(process.group.get());
  const nmt::Tokenizers tokenizers = prepare_tokenizers(o, process);
  const data::ParallelCorpus train(o.train_source, o.train_target, *tokenizers.source,
                                   *tokenizers.target, o.filter,
                                   fs::path(o.output) / "data" / "train.cache", process.threads);
  spdlog::info("training text: {}", train.report().summary());
  const data::ParallelCorpus valid({o.valid_source}, {o.valid_target}, *tokenizers.source,
                                   *tokenizers.target, o.filter,
                                   fs::path(o.output) / "data" / "valid.cache", process.threads);
  spdlog::info("validation text: {}", valid.report().summary());
  turn.done();

  o.model.source_vocabulary = tokenizers.source->vocabulary_size();
  o.model.target_vocabulary = tokenizers.target->vocabulary_size();
  const auto model =
      std::make_shared<nmt::TranslationModel>(o.model, static_cast<uint64_t>(o.seed));
  model->set_attention_backend(encoders::parse_backend(o.attention_backend));
  model->to(process.device);
  spdlog::info("model: {} parameters, {} pieces", parameter_count(*model),
               o.model.target_vocabulary);
  if (o.dry_run) return 0;

  nmt::TranslationTaskOptions task_options;
  task_options.batches = {o.batch_tokens, static_cast<uint64_t>(o.seed), process.share};
  task_options.label_smoothing = o.label_smoothing;
  task_options.bf16 = o.trainer.bf16;
  task_options.device = process.device;
  task_options.valid_tokenizer = o.valid_tokenizer;
  task_options.valid_lowercase = o.valid_lowercase;
  task_options.search = o.search;
  if (!o.no_valid_translation) {
    task_options.valid_source = read_lines(o.valid_source);
    task_options.valid_reference = read_lines(o.valid_target);
  }
  nmt::TranslationTask task(model, train, valid, *tokenizers.source, *tokenizers.target,
                            std::move(task_options));
  return exit_code(training::train(task, o.trainer,
                                   configuration_of(table, o, {"valid-batch-tokens"}),
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
      "of several was lost;\nthe same command continues from the last checkpoint.");
  bind_data(table, options);
  bind_model_options(table, options);
  bind_training(table, options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  apply_preset(table, options);
  if (print_position_help(options)) return 0;
  validate(options);
  if (const auto code = run_in_processes(options, {"train"}, arguments)) return *code;
  return run(table, options);
}

}  // namespace dietmt::tools
