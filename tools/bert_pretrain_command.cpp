// dietmt bert pretrain: from raw text to a trained encoder.
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>

#include "bert/model/pretrained.h"
#include "bert/training/pretraining_task.h"
#include "common/error.h"
#include "common/stop_signal.h"
#include "data/text/tokenizer.h"
#include "storage/checkpoint.h"
#include "tools/bert_model_options.h"
#include "tools/commands.h"
#include "tools/training_options.h"
#include "tools/training_process.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct PretrainOptions : BertModelOptions, TrainingOptions {
  std::vector<std::string> train, valid;
  std::string output;
  std::string documents = "empty-line";
  std::string examples = "full-sentences";
  std::vector<int64_t> lengths = {512};
  std::vector<int64_t> phase_updates;
  data::PretrainingOptions batches;
  std::string tokenizer;
  data::TokenizerOptions trained_tokenizer;
  data::TextOptions text;
};

void bind_data(OptionTable& table, PretrainOptions& o) {
  table.group("Data")
      .add("train", &o.train, "FILE...", "training text, plain or .gz, a sentence a line")
      .add("valid", &o.valid, "FILE...", "validation text")
      .add("output", &o.output, "DIR", "where checkpoints, progress and report go")
      .add("documents", &o.documents, "empty-line|every-line|title",
           "what begins a document: an empty line, every line, or a ' = Title = ' line")
      .add("examples", &o.examples, "NAME",
           "full-sentences: text over the ends of documents; document: none crosses them; "
           "sentence-pairs: two texts, with the prediction whether they follow each other")
      .add("length", &o.lengths, "N...", "tokens of an example, one number a phase")
      .add("phase-updates", &o.phase_updates, "N...", "updates of each phase but the last")
      .add("batch-tokens", &o.batches.batch_tokens, "N", "at most so many tokens a batch")
      .add("mask-rate", &o.batches.masking.rate, "P", "share of the tokens to predict")
      .add("whole-words", &o.batches.masking.whole_words, "", "mask the pieces of a word together");
  table.group("Subwords")
      .add(
          "tokenizer", &o.tokenizer, "PATH",
          "vocab.txt (WordPiece), tokenizer.model (sentencepiece) or a directory with one of them; "
          "without, that of --init-from, or one is trained on the training text")
      .add("vocab-size", &o.trained_tokenizer.vocabulary_size, "N", "pieces of a trained one")
      .add("tokenizer-type", &o.trained_tokenizer.type, "bpe|unigram", "type of a trained one")
      .add("lowercase", &o.trained_tokenizer.lowercase, "",
           "upper and lower case are one to a trained one");
}

void set_defaults(PretrainOptions& o) {
  o.schedule = "linear";
  o.warmup = 10'000;
  o.trainer.schedule.peak_lr = 1e-4;
  o.trainer.optimizer = {"adamw", 0.9, 0.999, 1e-6, 0.01};
  o.trained_tokenizer.vocabulary_size = 30'000;
}

void validate(PretrainOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool good, const std::string& message) {
    if (!good) problems.push_back(message);
  };
  const auto check = [&](const auto& work) {
    try {
      work();
    } catch (const ConfigError& error) {
      problems.emplace_back(error.what());
    }
  };
  require(!o.train.empty(), "--train is missing");
  require(!o.valid.empty(), "--valid is missing");
  require(!o.output.empty(), "--output is missing");
  require(!o.lengths.empty(), "--length is missing");
  require(o.phase_updates.size() + 1 == std::max<size_t>(1, o.lengths.size()),
          "--phase-updates has one number less than --length");
  check([&] { o.batches.examples.mode = data::parse_example_mode(o.examples); });
  check([&] { o.text.boundary = data::parse_document_boundary(o.documents); });
  const bool pairs = o.batches.examples.mode == data::ExampleMode::kSentencePairs;
  check([&] {
    training::require_score(bert::PretrainingTask::possible_scores(pairs), o.trainer.valid_metric);
  });
  for (const int64_t length : o.lengths) {
    o.batches.examples.length = length;
    for (const std::string& problem : o.batches.problems()) problems.push_back(problem);
  }
  for (const int64_t updates : o.phase_updates)
    require(updates >= 1, "--phase-updates must be positive");
  for (const std::string& problem : bert_problems(o)) problems.push_back(problem);
  o.batches.seed = static_cast<uint64_t>(o.seed);
  o.trainer.output = o.output;
  for (const std::string& problem : resolve(o)) problems.push_back(problem);
  throw_if_any(problems);
}

// As in training a translator: a resumed training keeps the tokenizer of its checkpoint.
std::unique_ptr<data::BertTokenizer> prepare_tokenizer(const PretrainOptions& o,
                                                       const TrainingProcess& process) {
  if (o.resume == "auto") {
    if (const auto checkpoint = storage::newest_checkpoint(o.output))
      return data::load_bert_tokenizer(checkpoint->directory);
  }
  if (!o.tokenizer.empty()) return data::load_bert_tokenizer(o.tokenizer);
  if (!o.init_from.empty())
    return data::load_bert_tokenizer(bert::pretrained_directory(o.init_from));
  const fs::path file = fs::path(o.output) / "data" / "tokenizer.model";
  if (!process.is_first()) return data::load_bert_tokenizer(file);
  data::TokenizerOptions options = o.trained_tokenizer;
  options.inputs = o.train;
  options.special = data::SpecialSet::kBert;
  options.seed = static_cast<uint64_t>(o.seed);
  options.threads = process.threads;
  spdlog::info("training the tokenizer {}", file.string());
  data::train_tokenizer(options, file);
  return data::load_bert_tokenizer(file);
}

bert::PretrainingTaskOptions task_options(const PretrainOptions& o,
                                          const TrainingProcess& process) {
  bert::PretrainingTaskOptions options;
  options.batches = o.batches;
  options.batches.share = process.share;
  for (size_t p = 0; p < o.lengths.size(); ++p)
    options.phases.push_back({o.lengths[p], p < o.phase_updates.size() ? o.phase_updates[p] : 0});
  options.accumulate = o.trainer.accumulate;
  options.bf16 = o.trainer.bf16;
  options.device = process.device;
  return options;
}

std::vector<std::string> input_files(const PretrainOptions& o) {
  std::vector<std::string> files = o.train;
  files.insert(files.end(), o.valid.begin(), o.valid.end());
  return files;
}

int run(const OptionTable& table, PretrainOptions& o) {
  install_stop_signal();
  const TrainingProcess process = join_training(table, o, o.output, input_files(o));
  const fs::path folder = fs::path(o.output) / "data";

  training::FirstTurn turn(process.group.get());
  const auto tokenizer = prepare_tokenizer(o, process);
  const data::TextCorpus train(o.train, *tokenizer, o.text, folder / "train.cache",
                               process.threads);
  spdlog::info("training text: {}", train.report().summary());
  const data::TextCorpus valid(o.valid, *tokenizer, o.text, folder / "valid.cache",
                               process.threads);
  spdlog::info("validation text: {}", valid.report().summary());
  turn.done();

  encoders::BertHeads heads;
  heads.masked_lm = true;
  heads.next_sentence = o.batches.examples.mode == data::ExampleMode::kSentencePairs;
  const auto model =
      make_bert(o, tokenizer->vocabulary_size(), heads, static_cast<uint64_t>(o.seed));
  model->set_attention_backend(encoders::parse_backend(o.attention_backend));
  model->set_recomputation(o.checkpoint_activations);
  model->to(process.device);
  spdlog::info("model: {} parameters, {} pieces", parameter_count(*model),
               tokenizer->vocabulary_size());
  bert::PretrainingTask task(model, train, valid, task_options(o, process));
  if (o.dry_run) return print_rehearsal(task, o);
  return exit_code(training::train(task, o.trainer, configuration_of(table, o), o.resume == "auto",
                                   process.group.get()));
}

}  // namespace

int run_bert_pretrain(const std::vector<std::string>& arguments) {
  PretrainOptions options;
  set_defaults(options);
  OptionTable table("bert pretrain", "--train FILE... --valid FILE... --output DIR",
                    "Trains a BERT encoder on raw text by masked language modelling. Run the same "
                    "command again to resume after a stop. Exit code 75: stopped by a signal, or a "
                    "process of several was lost; the same command continues from the last "
                    "checkpoint.");
  bind_data(table, options);
  bind_bert_model(table, options);
  bind_updates(table, options);
  bind_checkpoints(table, options);
  bind_machine(table, options);
  bind_processes(table, options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  apply_preset(table, options);
  validate(options);
  // What only tries batches needs one process.
  if (!options.dry_run) {
    if (const auto code =
            run_in_processes(options, input_files(options), {"bert", "pretrain"}, arguments))
      return *code;
  }
  return run(table, options);
}

}  // namespace dietmt::tools
