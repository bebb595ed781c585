// dietmt train: from two text files to a trained translator.
#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "common/error.h"
#include "common/options.h"
#include "data/corpus/pair_drawing.h"
#include "data/corpus/parallel_reader.h"
#include "data/text/bpe_marks.h"
#include "data/text/source_tag.h"
#include "encoders/attention/attention.h"
#include "encoders/device/device_graphs.h"
#include "nmt/network/translation_model.h"
#include "nmt/training/translation_task.h"
#include "tools/commands.h"
#include "tools/initial_model.h"
#include "tools/learned_metric.h"
#include "tools/train_options.h"
#include "tools/unused_options.h"
#include "training/loop/dry_run.h"
#include "training/loop/training_state.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

// The pieces of the longest tag before source lines.
int64_t tag_pieces(const TrainOptions& o, const data::Tokenizer& tokenizer) {
  std::vector<std::string> tags = o.tags(o.model.languages);
  int64_t pieces = 0;
  for (const std::string& tag : tags)
    pieces = std::max(pieces, data::SourceTag(tokenizer, tag).pieces());
  return pieces;
}

// A sentence longer than the position encoding would end the training when its batch comes.
void require_positions(const nmt::TranslationModel& model, const TrainOptions& o,
                       const data::Tokenizer& source) {
  const int64_t others = 1 + tag_pieces(o, source);  // end of sentence and a tag
  const int64_t longest = std::min(model.max_source_length(), model.max_target_length()) - others;
  if (o.filter.max_tokens <= longest) return;
  throw ConfigError("--max-tokens " + std::to_string(o.filter.max_tokens) +
                    " allows sentences longer than the position encoding: use at most " +
                    std::to_string(longest) + ", or --max-positions " +
                    std::to_string(o.filter.max_tokens + others) + " or more");
}

void warn_of_unused_options(const OptionTable& table, const TrainOptions& o) {
  warn_of_training_options(table, o);
  if (o.train_source.size() == 1)
    warn_of_unused(table, {"corpus-weights", "sampling-temperature", "stages"}, "one corpus");
  if (o.no_valid_translation)
    warn_of_unused(table,
                   {"valid-beam", "valid-tokenize", "valid-lowercase", "valid-batch-tokens",
                    "remove-bpe", "valid-command", "comet-model", "valid-output"},
                   "--no-valid-translation");
  if (o.find_batch) warn_of_unused(table, {"batch-tokens"}, "--find-batch");
}

// The most pieces drawn for a sentence, with end of sentence: what the filter allows. Joined
// sentences are about as long as that already, so they may grow as far as there are positions.
int64_t longest_drawn(const nmt::TranslationModel& model, const TrainOptions& o) {
  if (o.model.context == 0) return o.filter.max_tokens + 1;
  return std::min(model.max_source_length(), model.max_target_length());
}

int print_largest_batch(const training::TaskOfBatches& make_task, const TrainOptions& o,
                        const at::Device& device) {
  const int64_t tokens = training::find_batch(make_task, device.is_cpu(), o.trainer, o.processes);
  if (tokens == 0)
    throw Error(
        "--find-batch: the model leaves no memory for any batch; choose a smaller --preset");
  std::cout << "--batch-tokens " << tokens << '\n';
  return 0;
}

std::vector<std::string> input_files(const TrainOptions& o) {
  std::vector<std::string> files;
  for (const auto& [option, file] : o.texts()) files.push_back(file);
  return files;
}

nmt::Tokenizers choose_tokenizers(const OptionTable& table, const TrainOptions& o,
                                  const fs::path& folder,
                                  const training::TrainingProcess& process) {
  nmt::TokenizerChoice choice = o.tokenizers;
  choice.options.seed = static_cast<uint64_t>(o.seed);
  choice.options.threads = process.threads;
  choice.options.may_shrink = !table.given("vocab-size");
  choice.options.invalid_utf8 = o.utf8_choice();
  choice.separator = o.model.context > 0;
  // Training a tokenizer takes minutes; mistakes in the text show before.
  if (!o.SubwordOptions::given() && process.is_first()) check_texts(o, o.model.languages);
  nmt::Tokenizers tokenizers =
      nmt::training_tokenizers(choice, {o.train_source, o.train_target, o.tags(o.model.languages)},
                               folder, process.is_first());
  if (o.SubwordOptions::given() && process.is_first())
    for (const std::string& problem : unused_subword_options(table, o, tokenizers))
      spdlog::warn(problem);
  return tokenizers;
}

// Only the first process validates; the others need to know that there is such a score.
void add_comet(const TrainOptions& o, const training::TrainingProcess& process,
               nmt::ValidationOptions& validation) {
  if (o.comet_model.empty() || o.no_valid_translation) return;
  LearnedMetric model;
  if (process.is_first())
    model = learned_metric({.directory = o.comet_model,
                            .device = process.device.str(),
                            .threads = process.threads,
                            .batch_tokens = validation.search.batch_tokens},
                           "train", {});
  if (process.is_first() && model.metric != kComet)
    throw ConfigError("--comet-model " + o.comet_model + " is a " + model.metric +
                      " model, whose scores are those of errors: give a COMET model");
  validation.comet = [model](const auto& sources, const auto& references, const auto& found) {
    return model.scores(sources, references, {found}, {}).front();
  };
}

nmt::TranslationTaskOptions task_options(const TrainOptions& o, const data::PairDrawing& drawing,
                                         const std::vector<double>& weights,
                                         const training::TrainingProcess& process) {
  nmt::TranslationTaskOptions options;
  options.batches = {o.batch_tokens, static_cast<uint64_t>(o.seed),
                     weights,        process.share,
                     drawing,        training_stages(o)};
  options.label_smoothing = o.label_smoothing;
  options.r_drop = o.r_drop.value_or(0.0);
  options.recomputes = o.checkpoint_activations;
  options.partly_frozen = o.partly_frozen();
  options.only_adapters = o.adapter_size.has_value();
  options.bf16 = o.trainer.bf16;
  options.device = process.device;
  options.validation = o.validation;
  options.validation.output = o.valid_output;
  if (o.no_valid_translation) return options;
  bool has_marks = false;
  const std::vector<data::CorpusFiles> files = o.valid_files(o.model.languages);
  const std::vector<nmt::LanguageChoice> choices = o.valid_choices();
  for (size_t i = 0; i < files.size(); ++i) {
    data::TextPairs valid = data::read_parallel_text(files[i]);
    has_marks = has_marks || std::ranges::any_of(valid.targets, data::has_bpe_marks);
    options.validation.texts.push_back(
        {std::move(valid.sources), std::move(valid.targets), choices[i]});
  }
  if (has_marks && !o.validation.remove_bpe && process.is_first())
    spdlog::warn(
        "the validation text has words that BPE has cut (@@), and BLEU counts the pieces: give "
        "--remove-bpe, or better the text before BPE, since dietmt cuts words itself");
  return options;
}

int run(const OptionTable& table, const training::Configuration& configuration, TrainOptions& o,
        const std::optional<InitialModel>& initial) {
  install_stop(o);
  encoders::allow_graphs(o.cuda_graphs == "auto");
  const training::TrainingProcess process =
      training::join_training(process_options(table, o, input_files(o)));
  add_comet(o, process, o.validation);
  const fs::path folder = fs::path(o.output) / "data";
  const auto seed = static_cast<uint64_t>(o.seed);

  training::RankZeroFirst turn(process.group.get());
  // A new run ignores tokenizers left by an earlier attempt.
  nmt::Tokenizers tokenizers =
      initial ? initial->files.tokenizers : choose_tokenizers(table, o, folder, process);
  if (o.model.context > 0) tokenizers = nmt::with_separator(tokenizers);
  const data::SentenceContext context =
      nmt::sentence_context(o.model, *tokenizers.source, *tokenizers.target);
  o.model.source_vocabulary = tokenizers.source->vocabulary_size();
  o.model.target_vocabulary = tokenizers.target->vocabulary_size();
  throw_if_any(memory_problems(o));
  const auto model = initial && o.init_from
                         ? start_from(initial->files, o.model, seed)
                         : std::make_shared<nmt::TranslationModel>(o.model, seed);
  require_positions(*model, o, *tokenizers.source);
  const data::PairDrawing drawing =
      o.drawing(tokenizers, o.tags(o.model.languages), longest_drawn(*model, o));
  if (o.guided() && !model->aligns())
    throw ConfigError(
        "--guided-alignment needs words as keys of cross-attention, and "
        "--cross-position " +
        o.model.cross_position + " compresses them");
  const int32_t begin = tokenizers.target->begin_id();
  if (o.marian || (o.init_from && model->starts_from_zeros(begin))) model->start_from_zeros(begin);
  o.apply_freeze(*model);
  if (o.lora_rank) training::low_rank_matrices(*model, o.trainer.low_rank);  // before reading texts
  // The validation text first: it is short, so its problems show at once.
  const data::CacheUse use =
      process.is_first() ? data::CacheUse::kUpToDate : data::CacheUse::kOfFirstProcess;
  const data::ParallelCorpus valid(o.valid_files(o.model.languages), *tokenizers.source,
                                   *tokenizers.target, o.filter, folder, process.threads, context,
                                   use);
  spdlog::info("validation text: {}", valid.report().summary());
  const data::ParallelCorpus train =
      open_training_text(o, o.model.languages, tokenizers, folder, process.threads, context, use);
  const std::vector<double> weights = corpus_weights(o, train);
  turn.done();

  if (process.is_first()) warn_of_unused_options(table, o);
  model->set_attention_backend(encoders::parse_backend(o.attention_backend));
  model->set_recomputation(o.checkpoint_activations);
  model->set_whole_dropout(o.whole_dropout());
  model->to(process.device);
  spdlog::info("model: {} parameters, {} pieces", parameter_count(*model),
               o.model.target_vocabulary);

  nmt::TranslationTaskOptions options = task_options(o, drawing, weights, process);
  options.guide = o.guide(o.train_files(o.model.languages), train, tokenizers, process.threads);
  options.guide_weight = o.guided_alignment_weight;
  const auto task_of_batches = [&](int64_t batch_tokens) {
    options.batches.batch_tokens = batch_tokens;
    return std::make_unique<nmt::TranslationTask>(model, train, valid, *tokenizers.source,
                                                  *tokenizers.target, options);
  };
  if (o.find_batch) return print_largest_batch(task_of_batches, o, process.device);
  const auto task = task_of_batches(o.batch_tokens);
  if (o.dry_run) return print_dry_run(*task, o);
  return exit_code(
      training::train(*task, o.trainer, configuration, o.resume == "auto", process.group.get()));
}

}  // namespace

int run_train(const std::vector<std::string>& arguments) {
  TrainOptions o;
  OptionTable table = train_option_table(o);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  const std::optional<InitialModel> initial = find_initial_model(o);
  std::vector<std::string> problems = settle_model(table, initial, o);
  if (print_position_help(o)) return 0;
  for (const std::string& problem : problems_of(table, o, initial.has_value()))
    problems.push_back(problem);
  table.check(problems);
  o.trainer.defaulted = options_not_given(table);
  training::Configuration configuration =
      configuration_of(table, o, {"valid-batch-tokens", "find-batch", "valid-output"});
  // What the file says counts, not its name.
  if (o.stages) configuration["stages"] = data::stages_text(training_stages(o));
  if (o.SubwordOptions::given()) {
    TrainOptions untouched;
    reset(configuration, train_option_table(untouched), subword_training_options());
  }
  if (initial && initial->resumed)
    training::require_same_configuration(initial->files.directory, configuration, o.trainer);
  if (o.dry_run) training::require_one_process("train --dry-run");
  if (o.find_batch) training::require_one_process("train --find-batch");
  if (!o.dry_run && !o.find_batch) {
    const training::ProcessOptions processes = process_options(table, o, input_files(o));
    if (const auto code = run_in_processes(processes, {"train"}, arguments)) return *code;
  }
  if (training::process_place().rank == 0) warn_of_habits(table, o);
  return run(table, configuration, o, initial);
}

}  // namespace dietmt::tools
