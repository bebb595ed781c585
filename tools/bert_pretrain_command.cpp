// dietmt bert pretrain: from raw text to a trained encoder.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>

#include "bert/model/model_directory.h"
#include "bert/training/pretraining_task.h"
#include "common/error.h"
#include "common/process.h"
#include "data/text/tokenizer_training.h"
#include "encoders/bert/bert_config.h"
#include "encoders/device/device_graphs.h"
#include "storage/checkpoint.h"
#include "tools/bert_model_options.h"
#include "tools/commands.h"
#include "tools/corpus_mix.h"
#include "tools/model_options.h"
#include "tools/new_tokenizer_options.h"
#include "tools/training_options.h"
#include "tools/unused_options.h"
#include "training/loop/training_state.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct PretrainOptions : BertModelOptions, TrainingOptions, CorpusMix {
  std::vector<std::string> train, valid;
  std::string output;
  std::string documents = "empty-line";
  std::string examples = "full-sentences";
  std::vector<int64_t> lengths = {512};
  std::vector<int64_t> phase_updates;
  data::PretrainingOptions batches;
  std::string tokenizer;
  data::TokenizerOptions trained_tokenizer;
  std::optional<std::string> invalid_utf8;
  data::TextOptions text;
};

void set_defaults(PretrainOptions& o) {
  o.schedule = "linear";
  o.warmup = 10'000;
  o.trainer.schedule.peak_lr = 1e-4;
  o.trainer.optimizer = {"adamw", 0.9, 0.999, 1e-6, 0.01};
  o.trained_tokenizer.vocabulary_size = 30'000;
}

OptionTable option_table(PretrainOptions& o) {
  OptionTable table(
      "bert pretrain", "--train FILE... --valid FILE... --output DIR",
      "Trains a BERT encoder on raw text by masked language modelling. Run the same command again "
      "to resume after a stop. Exit code 75: a signal or --max-time stopped it, or one of several "
      "processes was lost; the same command continues from the last checkpoint.");
  table.group("Data")
      .add("train", &o.train, "FILE...",
           "training text, one sentence per line, plain or compressed", {.required = true})
      .add("valid", &o.valid, "FILE...", "validation text", {.required = true});
  bind_corpus_mix(table, o, "file of --train", "example");
  table
      .add("output", &o.output, "DIR", "directory for checkpoints, progress and report",
           {.required = true})
      .add("documents", &o.documents, "",
           "document boundary: an empty line, every line, or a ' = Title = ' line",
           {.choices = {"empty-line", "every-line", "title"}})
      .add("invalid-utf8", &o.invalid_utf8, "",
           "lines that are not UTF-8: stop with an error, replace ill-formed bytes by "
           "U+FFFD, or skip the line; default: replace, but refuse to train a tokenizer on "
           "them",
           {.choices = {"refuse", "replace", "skip"}})
      .add("examples", &o.examples, "",
           "full-sentences: may cross document boundaries; document: never cross them; "
           "sentence-pairs: two texts, with next-sentence prediction",
           {.choices = {"full-sentences", "document", "sentence-pairs"}})
      .add("length", &o.lengths, "N...", "tokens per example, one number for each phase",
           {.least = 1, .most = 100'000})
      .add("phase-updates", &o.phase_updates, "N...", "updates of each phase except the last",
           {.least = 1})
      .add("batch-tokens", &o.batches.batch_tokens, "N", "batch size in tokens",
           ranges::kBatchTokens)
      .add("mask-rate", &o.batches.masking.rate, "P", "share of the tokens to predict",
           {.above = 0, .most = 1})
      .add("whole-words", &o.batches.masking.whole_words, "", "whole-word masking");
  table.group("Subwords")
      .add("tokenizer", &o.tokenizer, "PATH",
           "vocab.txt (WordPiece), tokenizer.model (sentencepiece), or a directory with one of "
           "them; default: that of --init-from, or train one on the training text");
  bind_new_tokenizer(table, o.trained_tokenizer, "tokenizer-type");
  bind_bert_model(table, o);
  bind_updates(table, o);
  bind_checkpoints(table, o);
  bind_machine(table, o);
  add_cuda_graphs(table, o.cuda_graphs);
  bind_processes(table, o);
  table
      .basics({"documents", "length", "batch-tokens", "tokenizer", "vocab-size", "preset",
               "position", "init-from", "max-updates", "accumulate", "learning-rate", "warmup",
               "valid-interval", "device", "dry-run"})
      .example(
          "dietmt bert pretrain --train text.txt --valid valid.txt --preset mini --max-updates "
          "20000 --output bert");
  return table;
}

std::vector<std::string> problems_of(const OptionTable& table, PretrainOptions& o) {
  std::vector<std::string> problems = apply_preset(table, o, o.trained_tokenizer.vocabulary_size);
  if (problems.empty() && o.init_from.empty()) {
    const std::string too_large = encoders::memory_problem(o.model, bytes_per_weight(o));
    if (!too_large.empty()) problems.push_back(too_large);
  }
  if (o.phase_updates.size() + 1 != std::max<size_t>(1, o.lengths.size()))
    problems.emplace_back("--phase-updates needs one number fewer than --length");
  const int64_t earlier = std::reduce(o.phase_updates.begin(), o.phase_updates.end());
  if (earlier > 0 && earlier >= o.trainer.max_updates)
    problems.push_back("--phase-updates has " + std::to_string(earlier) +
                       " updates, and --max-updates " + std::to_string(o.trainer.max_updates) +
                       ": none is left for the last --length");
  if (table.allows("examples")) o.batches.examples.mode = data::parse_example_mode(o.examples);
  if (table.allows("documents")) o.text.boundary = data::parse_document_boundary(o.documents);
  if (o.invalid_utf8 && table.allows("invalid-utf8"))
    o.text.invalid_utf8 = o.trained_tokenizer.invalid_utf8 =
        data::invalid_utf8_from_name(*o.invalid_utf8);
  const bool pairs = o.batches.examples.mode == data::ExampleMode::kSentencePairs;
  try {
    training::require_score(bert::PretrainingTask::possible_scores(pairs), o.trainer.valid_metric);
  } catch (const ConfigError& error) {
    problems.emplace_back(error.what());
  }
  for (const int64_t length : o.lengths) {
    o.batches.examples.length = length;
    for (const std::string& problem : o.batches.examples.problems()) problems.push_back(problem);
  }
  for (const std::string& problem : o.mix_problems(std::ssize(o.train)))
    problems.push_back(problem);
  o.trained_tokenizer.may_shrink = !table.given("vocab-size");
  o.batches.seed = static_cast<uint64_t>(o.seed);
  o.trainer.output = o.output;
  for (const std::string& problem : resolve_training(table, o)) problems.push_back(problem);
  return problems;
}

// A resumed training keeps the tokenizer of its checkpoint.
std::unique_ptr<data::BertTokenizer> prepare_tokenizer(const PretrainOptions& o,
                                                       const training::TrainingProcess& process) {
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

void warn_of_unused_subword_options(const OptionTable& table, const PretrainOptions& o,
                                    const data::BertTokenizer& tokenizer) {
  if (o.tokenizer.empty() && o.init_from.empty()) return;
  for (const std::string& warning :
       ignored_by_tokenizer(table, o.trained_tokenizer.vocabulary_size, "the tokenizer",
                            tokenizer.vocabulary_size()))
    spdlog::warn(warning);
  for (const std::string& warning : ignored_without_training(table)) spdlog::warn(warning);
}

bert::PretrainingTaskOptions task_options(const PretrainOptions& o,
                                          const training::TrainingProcess& process) {
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

void require_positions(const encoders::BertModel& model, const std::vector<int64_t>& lengths) {
  const int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  if (longest <= model.max_length()) return;
  throw ConfigError("--length " + std::to_string(longest) +
                    " is longer than the position encoding: use at most " +
                    std::to_string(model.max_length()) + ", or --max-positions " +
                    std::to_string(longest) + " or more");
}

// The training text: one corpus, or with weights one for each file.
std::vector<data::TextCorpus> open_training_texts(const PretrainOptions& o,
                                                  const data::BertTokenizer& tokenizer,
                                                  const fs::path& folder, int64_t threads,
                                                  data::CacheUse use) {
  std::vector<data::TextCorpus> texts;
  if (!o.is_given() || o.train.size() == 1) {
    texts.emplace_back(o.train, tokenizer, o.text, folder / "train.cache", threads, use);
    spdlog::info("training text: {}", texts.front().report().summary());
    return texts;
  }
  for (const std::string& file : o.train) {
    const std::string number = std::to_string(texts.size() + 1);
    texts.emplace_back(std::vector{file}, tokenizer, o.text,
                       folder / ("train-" + number + ".cache"), threads, use);
    spdlog::info("training text {}, {}: {}", number, file, texts.back().report().summary());
  }
  return texts;
}

// The weights of the texts by their tokens; logs the shares they result in.
std::vector<double> text_weights(const PretrainOptions& o,
                                 const std::vector<data::TextCorpus>& texts) {
  if (texts.size() == 1) return {};
  std::vector<int64_t> tokens;
  for (const data::TextCorpus& text : texts) tokens.push_back(text.tokens());
  std::vector<double> weights = o.weights(tokens);
  const double sum = std::reduce(weights.begin(), weights.end());
  for (size_t t = 0; t < weights.size(); ++t)
    spdlog::info("training text {}: a share of {:.4f} of the examples", t + 1, weights[t] / sum);
  return weights;
}

// Options for training a tokenizer do nothing if there is one, and may change when a run resumes.
training::Configuration settings(const OptionTable& table, const PretrainOptions& o) {
  training::Configuration settings = configuration_of(table, o);
  if (o.tokenizer.empty() && o.init_from.empty()) return settings;
  PretrainOptions untouched;
  set_defaults(untouched);
  reset(settings, option_table(untouched), new_tokenizer_options());
  return settings;
}

int run(const OptionTable& table, PretrainOptions& o) {
  install_stop(o);
  encoders::allow_graphs(o.cuda_graphs == "auto");
  const training::TrainingProcess process =
      training::join_training(process_options(table, o, input_files(o)));
  const fs::path folder = fs::path(o.output) / "data";

  training::RankZeroFirst turn(process.group.get());
  const auto tokenizer = prepare_tokenizer(o, process);
  if (process.is_first()) {
    warn_of_unused_subword_options(table, o, *tokenizer);
    warn_of_training_options(table, o);
    if (o.train.size() == 1)
      warn_of_unused(table, {"corpus-weights", "sampling-temperature"}, "one file of --train");
  }
  const data::CacheUse use =
      process.is_first() ? data::CacheUse::kUpToDate : data::CacheUse::kOfFirstProcess;
  const std::vector<data::TextCorpus> train =
      open_training_texts(o, *tokenizer, folder, process.threads, use);
  o.batches.weights = text_weights(o, train);
  const data::TextCorpus valid(o.valid, *tokenizer, o.text, folder / "valid.cache", process.threads,
                               use);
  spdlog::info("validation text: {}", valid.report().summary());
  turn.done();

  encoders::BertHeads heads;
  heads.masked_lm = true;
  heads.next_sentence = o.batches.examples.mode == data::ExampleMode::kSentencePairs;
  if (heads.next_sentence) {
    for (size_t t = 0; t < train.size(); ++t)
      data::require_pairs(train[t], train.size() == 1 ? "the text of --train" : o.train[t]);
    data::require_pairs(valid, "the text of --valid");
  }
  const auto model =
      make_bert(table, o, tokenizer->vocabulary_size(), heads, static_cast<uint64_t>(o.seed));
  require_positions(model->encoder(), o.lengths);
  require_training_memory(*model, o.init_from, bytes_per_weight(o));
  model->set_attention_backend(encoders::parse_backend(o.attention_backend));
  model->set_recomputation(o.checkpoint_activations);
  model->to(process.device);
  spdlog::info("model: {} parameters, {} pieces", parameter_count(*model),
               tokenizer->vocabulary_size());
  bert::PretrainingTask task(model, train, valid, task_options(o, process));
  if (o.dry_run) return print_dry_run(task, o);
  return exit_code(training::train(task, o.trainer, settings(table, o), o.resume == "auto",
                                   process.group.get()));
}

}  // namespace

int run_bert_pretrain(const std::vector<std::string>& arguments) {
  PretrainOptions options;
  set_defaults(options);
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(table, options));
  options.trainer.defaulted = options_not_given(table);
  if (options.resume == "auto") {
    if (const auto checkpoint = storage::newest_checkpoint(options.output))
      training::require_same_configuration(checkpoint->directory, settings(table, options),
                                           options.trainer);
  }
  if (options.dry_run) {
    training::require_one_process("bert pretrain --dry-run");
  } else if (const auto code =
                 run_in_processes(process_options(table, options, input_files(options)),
                                  {"bert", "pretrain"}, arguments)) {
    return *code;
  }
  return run(table, options);
}

}  // namespace dietmt::tools
