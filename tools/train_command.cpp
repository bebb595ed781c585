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
#include "common/process.h"
#include "common/text_io.h"
#include "data/corpus/parallel_reader.h"
#include "data/corpus/subword_sampling.h"
#include "data/text/source_tag.h"
#include "encoders/attention/attention.h"
#include "encoders/weights/adapter_layers.h"
#include "interchange/marian/marian_export.h"
#include "nmt/network/model_directory.h"
#include "nmt/network/model_size.h"
#include "nmt/network/translation_model.h"
#include "nmt/training/guided_alignment.h"
#include "nmt/training/translation_task.h"
#include "storage/checkpoint.h"
#include "tools/commands.h"
#include "tools/corpus_options.h"
#include "tools/learning_options.h"
#include "tools/model_options.h"
#include "tools/training_options.h"
#include "training/loop/rehearsal.h"
#include "training/loop/training_state.h"
#include "training/optimization/low_rank_training.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct TrainOptions : CorpusOptions,
                      SubwordOptions,
                      ModelOptions,
                      LearningOptions,
                      TrainingOptions {
  std::string output;
  std::optional<std::string> init_from;
  std::optional<int64_t> context;
  std::optional<std::string> context_sides;
  int64_t batch_tokens = 4096;
  bool find_batch = false;
  std::string guided_alignment;  // empty: none
  double guided_alignment_weight = nmt::TranslationTaskOptions().guide_weight;
  int64_t guided_alignment_layer = 0;
  bool no_valid_translation = false;
  std::string valid_tokenizer = "13a";
  bool valid_lowercase = false;
  nmt::SearchOptions search;
};

OptionTable option_table(TrainOptions& o) {
  OptionTable table(
      "train",
      "--train-source FILE... --train-target FILE... --valid-source FILE --valid-target FILE "
      "--output DIR",
      "Trains an encoder-decoder Transformer on parallel text (plain or .gz). Run the same command "
      "again to resume after a stop. Exit code 75: a signal or --max-time stopped it, or one of "
      "several processes was lost; the same command continues from the last checkpoint.");
  table.group("Data");
  bind_corpora(table, o);
  table
      .add("context", &o.context, "N",
           "translate each sentence with the N source sentences before it (Tiedemann and Scherrer "
           "2017); an empty line in both files ends a document; default: 0, or as --init-from",
           nmt::kContextRange)
      .add("context-sides", &o.context_sides, "",
           "source (the default): the target is the sentence; both: it also has the N target "
           "sentences before, and translation keeps what follows the last separator",
           {.choices = {"source", "both"}});
  table
      .add("output", &o.output, "DIR", "directory for checkpoints, progress and report",
           {.required = true})
      .add("batch-tokens", &o.batch_tokens, "N",
           "batch size: at most N target and 2 N source tokens", ranges::kBatchTokens);
  bind_subwords(table, o);
  bind_model_options(table, o);
  table.add("init-from", &o.init_from, "MODEL",
            "initialize from this model, to fine-tune it on another domain or with other position "
            "encodings; keeps its subwords, sizes and all settings that no option gives");
  bind_updates(table, o);
  bind_learning(table, o);
  table
      .add("guided-alignment", &o.guided_alignment, "auto|FILE",
           "teach one head of cross-attention to align words, for translate --alignment and "
           "--markup. auto: with links of the word aligner of `dietmt shortlist`; FILE: with pairs "
           "SOURCE-TARGET of words, one line for each pair of lines of the training text")
      .add("guided-alignment-weight", &o.guided_alignment_weight, "W",
           "factor of the loss of guided alignment", {.above = 0, .most = 100})
      .add("guided-alignment-layer", &o.guided_alignment_layer, "N",
           "decoder layer of guided alignment, from 1; 0: the last but one",
           {.least = 0, .most = 1000});
  bind_checkpoints(table, o);
  table
      .add("no-valid-translation", &o.no_valid_translation, "",
           "validate only the loss, without beam search for BLEU and chrF")
      .add("valid-beam", &o.search.beam, "N", "beam size of validation", nmt::search_rules::kBeam)
      .add("valid-tokenize", &o.valid_tokenizer, "",
           "tokenizer of BLEU; none: the text is tokenized already",
           {.choices = {"13a", "intl", "char", "zh", "none"}})
      .add("valid-lowercase", &o.valid_lowercase, "", "lower-case both sides for BLEU and chrF")
      .add("valid-batch-tokens", &o.search.batch_tokens, "N",
           "batch size of validation in source tokens", ranges::kBatchTokens);
  bind_machine(table, o);
  bind_processes(table, o);
  table.add("find-batch", &o.find_batch, "",
            "try batches of growing size, print the largest --batch-tokens that fits, exit");
  table
      .basics({"batch-tokens", "vocab-size", "preset", "position", "max-updates", "learning-rate",
               "valid-interval", "device", "precision", "dry-run"})
      .example(
          "dietmt train --train-source train.en --train-target train.de \\\n      "
          "--valid-source valid.en --valid-target valid.de --output model");
  return table;
}

bool is_alignment_file(const TrainOptions& o) {
  return !o.guided_alignment.empty() && o.guided_alignment != "auto";
}

// Standard input and pipes can be read only once.
std::vector<std::string> reading_problems(const TrainOptions& o, bool has_tokenizers) {
  std::vector<std::string> found;
  const auto require_file = [&](const std::string& file, const std::string& reason) {
    if (!file.empty() && !fs::is_regular_file(file))
      found.push_back(file + " can be read only once, but " + reason);
  };
  if (!o.no_valid_translation) {
    for (const std::string& file : {o.valid_source, o.valid_target})
      require_file(file, "validation reads it twice: give a file, or --no-valid-translation");
  }
  if (has_tokenizers || o.SubwordOptions::given()) return found;
  for (const auto* files : {&o.train_source, &o.train_target})
    for (const std::string& file : *files)
      require_file(file, "the tokenizer is trained on it first: give a file, or --tokenizer");
  return found;
}

// That weights, gradients and moments do not fit into memory.
std::vector<std::string> memory_problems(const TrainOptions& o) {
  // How many are frozen is not known before the model is built.
  const double bytes = o.partly_frozen() ? sizeof(float) : bytes_per_weight(o);
  const std::string problem = nmt::memory_problem(o.model, bytes);
  if (problem.empty()) return {};
  return {problem};
}

// Also puts names and numbers into the options of the parts. `has_tokenizers`: an initial model
// brings them.
std::vector<std::string> problems_of(TrainOptions& o, bool has_tokenizers) {
  std::vector<std::string> problems = o.CorpusOptions::problems();
  const auto add = [&](const std::vector<std::string>& more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  if (problems.empty()) add(reading_problems(o, has_tokenizers));
  add(o.SubwordOptions::problems(has_tokenizers));
  if (o.one_each() && o.model.tied_embeddings == "all")
    problems.push_back("--tied-embeddings all needs a joint tokenizer: choose none or decoder");
  try {
    training::require_score(nmt::TranslationTask::possible_scores(!o.no_valid_translation),
                            o.trainer.valid_metric);
  } catch (const ConfigError& error) {
    problems.push_back(error.what());
  }
  if (o.guided_alignment_layer > o.model.decoder_layers)
    problems.push_back("--guided-alignment-layer " + std::to_string(o.guided_alignment_layer) +
                       " is above --decoder-layers " + std::to_string(o.model.decoder_layers));
  if (o.guided_alignment.empty() &&
      (o.guided_alignment_layer != 0 ||
       o.guided_alignment_weight != nmt::TranslationTaskOptions().guide_weight))
    problems.push_back(
        "--guided-alignment-weight and --guided-alignment-layer need --guided-alignment");
  if (!o.guided_alignment.empty() && o.model.context > 0)
    problems.push_back(
        "--guided-alignment links the words of single sentences: leave out --context");
  if (o.model.context == 0 && o.context_sides)
    problems.push_back("--context-sides needs --context");
  if (!o.guided_alignment.empty() && (o.subword_sampling || o.bpe_dropout))
    problems.push_back(
        "--guided-alignment links the pieces of one segmentation: leave out --subword-sampling and "
        "--bpe-dropout");
  if (is_alignment_file(o) && !o.tags().empty())
    problems.push_back("--guided-alignment FILE does not know source tags: use auto");
  o.trainer.output = o.output;
  o.trainer.low_rank = o.low_rank();
  add(resolve(o));
  if (!o.guided_alignment.empty()) {
    o.model.alignment_head = 1;
    o.model.alignment_layer = o.guided_alignment_layer > 0
                                  ? o.guided_alignment_layer
                                  : std::max<int64_t>(o.model.decoder_layers - 1, 1);
  }
  // Of a given tokenizer run() learns the size.
  o.model.source_vocabulary = o.model.target_vocabulary = o.tokenizers.options.vocabulary_size;
  add(model_problems(o.model));
  if (o.marian && o.lora_rank)
    problems.emplace_back("--marian and --lora-rank exclude each other: an adapter has no start");
  if (o.marian)
    for (const std::string& problem : interchange::marian_problems(o.model))
      problems.push_back("--marian: " + problem);
  add(o.LearningOptions::problems(o.model, o, o.init_from.has_value()));
  if (problems.empty()) add(memory_problems(o));
  return problems;
}

// The model that this training starts from. A resumed training keeps the one in its checkpoint,
// whatever happened to the files that it came from.
struct InitialModel {
  nmt::ModelFiles files;
  bool resumed = false;
};

// An adapter holds what was trained, and the rest comes from the model beside it.
void require_what_adapters_keep(const TrainOptions& o, const nmt::ModelFiles& base,
                                std::vector<std::string>& problems) {
  const nmt::ModelConfig& kept = base.config;
  const std::string option = o.lora_rank ? "--lora-rank" : "--adapter-size";
  const std::string where = base.directory.string();
  if (o.model.encoder_position != kept.encoder_position ||
      o.model.decoder_position != kept.decoder_position ||
      o.model.cross_position != kept.cross_position)
    problems.push_back(option + " keeps the position encodings of " + where +
                       ": leave out --position and the like");
  if (o.model.max_positions != kept.max_positions)
    problems.push_back(option + " keeps the " + std::to_string(kept.max_positions) +
                       " positions of " + where + ": leave out --max-positions");
  if (o.model.context != kept.context || o.model.context_sides != kept.context_sides)
    problems.push_back(option + " keeps the context of " + where +
                       ": leave out --context and --context-sides");
  if (!o.guided_alignment.empty())
    problems.push_back(option +
                       " and --guided-alignment exclude each other: an adapter does not "
                       "hold which head aligns");
}

// The context of the initial model, which options may change. An adapter has no limit of its own:
// it translates with that of the model beside it.
void settle_context(const nmt::ModelConfig& kept, TrainOptions& o) {
  nmt::ModelConfig& model = o.model;
  model.context = o.context.value_or(kept.context);
  model.context_sides = o.context_sides.value_or(model.context > 0 ? kept.context_sides : "source");
  const bool keeps_limit = kept.context > 0 && (o.lora_rank || o.adapter_size);
  const int64_t limit = keeps_limit ? kept.context_tokens : o.filter.max_tokens + 1;
  model.context_tokens = model.context > 0 ? limit : 0;
}

// The adapters of the initial model, or new ones.
void keep_adapters(const nmt::ModelFiles& initial, TrainOptions& o,
                   std::vector<std::string>& problems) {
  const int64_t kept = initial.config.adapter_size;
  o.model.adapter_size = o.adapter_size.value_or(kept);
  if (kept == 0 || o.model.adapter_size == kept) return;
  const fs::path& where = initial.adapter.empty() ? initial.directory : initial.adapter;
  problems.push_back("--adapter-size is " + std::to_string(o.model.adapter_size) + ", but " +
                     where.string() + " has adapters of " + std::to_string(kept) +
                     ": give that size, or start from a model without adapters");
}

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

// A model of `config` with the weights of `initial` as far as they fit.
std::shared_ptr<nmt::TranslationModel> start_from(const nmt::ModelFiles& initial,
                                                  const nmt::ModelConfig& config, uint64_t seed) {
  const nmt::LoadedModel trained =
      nmt::load_model(initial.adapter.empty() ? initial.directory : initial.adapter);
  nmt::RebuiltModel rebuilt = nmt::rebuild(*trained.model, config, seed);
  if (std::erase_if(rebuilt.inheritance.drawn, encoders::is_of_adapter) > 0)
    spdlog::info("{}: gets an adapter of {} after each layer", initial.directory.string(),
                 config.adapter_size);
  const auto say = [&](const std::vector<std::string>& names, const char* what) {
    for (const std::string& name : names)
      spdlog::info("{}: {} {}", initial.directory.string(), name, what);
  };
  say(rebuilt.inheritance.drawn, "is initialised at random");
  say(rebuilt.inheritance.extended, "is extended; its new rows are initialised at random");
  say(rebuilt.inheritance.dropped, "is not used");
  return rebuilt.model;
}

// A sentence longer than the position encoding would end the training when its batch comes.
void require_positions(const nmt::TranslationModel& model, const TrainOptions& o) {
  const int64_t others = o.tags().empty() ? 1 : 2;  // end of sentence and a tag
  const int64_t longest = std::min(model.max_source_length(), model.max_target_length()) - others;
  if (o.filter.max_tokens <= longest) return;
  throw ConfigError("--max-tokens " + std::to_string(o.filter.max_tokens) +
                    " allows sentences longer than the position encoding: use at most " +
                    std::to_string(longest) + ", or --max-positions " +
                    std::to_string(o.filter.max_tokens + others) + " or more");
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
  std::vector<std::string> files;
  for (const auto& [option, file] : o.texts()) files.push_back(file);
  return files;
}

nmt::Tokenizers choose_tokenizers(const TrainOptions& o, const fs::path& folder,
                                  const training::TrainingProcess& process) {
  nmt::TokenizerChoice choice = o.tokenizers;
  choice.options.seed = static_cast<uint64_t>(o.seed);
  choice.options.threads = process.threads;
  choice.options.invalid_utf8 = o.utf8_choice();
  choice.separator = o.model.context > 0;
  // Training a tokenizer takes minutes; mistakes in the text show before.
  if (!o.SubwordOptions::given() && process.is_first()) check_texts(o);
  return nmt::training_tokenizers(choice, {o.train_source, o.train_target, o.tags()}, folder,
                                  process.is_first());
}

nmt::TranslationTaskOptions task_options(const TrainOptions& o, const nmt::Tokenizers& tokenizers,
                                         const data::SubwordSampling& sampling,
                                         const std::vector<double>& weights,
                                         const training::TrainingProcess& process) {
  nmt::TranslationTaskOptions options;
  options.batches = {o.batch_tokens, static_cast<uint64_t>(o.seed), weights, process.share,
                     sampling};
  options.label_smoothing = o.label_smoothing;
  options.r_drop = o.r_drop.value_or(0.0);
  options.partly_frozen = o.partly_frozen();
  options.only_adapters = o.adapter_size.has_value();
  options.bf16 = o.trainer.bf16;
  options.device = process.device;
  options.valid_tokenizer = o.valid_tokenizer;
  options.valid_lowercase = o.valid_lowercase;
  options.search = o.search;
  if (o.no_valid_translation) return options;
  data::TextPairs valid = data::read_parallel_text(o.valid_files());
  options.valid_source = std::move(valid.sources);
  options.valid_reference = std::move(valid.targets);
  const data::SourceTag tag(*tokenizers.source, o.valid_source_tag.value_or(""));
  for (std::string& line : options.valid_source)
    if (!line.empty()) line = tag.before(line);
  return options;
}

std::shared_ptr<const nmt::AlignmentGuide> alignment_guide(const TrainOptions& o,
                                                           const data::ParallelCorpus& train,
                                                           const nmt::Tokenizers& tokenizers,
                                                           int64_t threads) {
  if (o.guided_alignment.empty()) return nullptr;
  if (is_alignment_file(o))
    return nmt::read_alignment_guide(o.guided_alignment, train, *tokenizers.source,
                                     *tokenizers.target);
  return nmt::statistical_guide(train, *tokenizers.source, *tokenizers.target, threads);
}

int run(const OptionTable& table, const training::Configuration& configuration, TrainOptions& o,
        const std::optional<InitialModel>& initial) {
  install_stop(o);
  const training::TrainingProcess process =
      training::join_training(process_options(table, o, input_files(o)));
  const fs::path folder = fs::path(o.output) / "data";
  const auto seed = static_cast<uint64_t>(o.seed);

  training::FirstTurn turn(process.group.get());
  // A new run ignores tokenizers left by an earlier attempt.
  nmt::Tokenizers tokenizers =
      initial ? initial->files.tokenizers : choose_tokenizers(o, folder, process);
  if (o.model.context > 0) tokenizers = nmt::with_separator(tokenizers);
  const data::SentenceContext context =
      nmt::sentence_context(o.model, *tokenizers.source, *tokenizers.target);
  // At most as long as the filter allows, with end of sentence.
  const data::SubwordSampling sampling = o.sampling(tokenizers, o.filter.max_tokens + 1);
  o.model.source_vocabulary = tokenizers.source->vocabulary_size();
  o.model.target_vocabulary = tokenizers.target->vocabulary_size();
  throw_if_any(memory_problems(o));
  const auto model = initial && o.init_from
                         ? start_from(initial->files, o.model, seed)
                         : std::make_shared<nmt::TranslationModel>(o.model, seed);
  require_positions(*model, o);
  const int32_t begin = tokenizers.target->begin_id();
  if (o.marian || (o.init_from && model->starts_from_zeros(begin))) model->start_from_zeros(begin);
  o.apply_freeze(*model);
  if (o.lora_rank) training::low_rank_matrices(*model, o.trainer.low_rank);  // before reading texts
  // The validation text first: it is short, so its problems show at once.
  const data::ParallelCorpus valid({o.valid_files()}, *tokenizers.source, *tokenizers.target,
                                   o.filter, folder, process.threads, context);
  spdlog::info("validation text: {}", valid.report().summary());
  const data::ParallelCorpus train =
      open_training_text(o, tokenizers, folder, process.threads, context);
  const std::vector<double> weights = corpus_weights(o, train);
  turn.done();

  model->set_attention_backend(encoders::parse_backend(o.attention_backend));
  model->set_recomputation(o.checkpoint_activations);
  model->set_whole_dropout(o.whole_dropout());
  model->to(process.device);
  spdlog::info("model: {} parameters, {} pieces", parameter_count(*model),
               o.model.target_vocabulary);

  nmt::TranslationTaskOptions options = task_options(o, tokenizers, sampling, weights, process);
  options.guide = alignment_guide(o, train, tokenizers, process.threads);
  options.guide_weight = o.guided_alignment_weight;
  const auto task_of_batches = [&](int64_t batch_tokens) {
    options.batches.batch_tokens = batch_tokens;
    return std::make_unique<nmt::TranslationTask>(model, train, valid, *tokenizers.source,
                                                  *tokenizers.target, options);
  };
  if (o.find_batch) return print_largest_batch(task_of_batches, o, process.device);
  const auto task = task_of_batches(o.batch_tokens);
  if (o.dry_run) return print_rehearsal(*task, o);
  return exit_code(
      training::train(*task, o.trainer, configuration, o.resume == "auto", process.group.get()));
}

}  // namespace

int run_train(const std::vector<std::string>& arguments) {
  TrainOptions o;
  OptionTable table = option_table(o);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  const std::optional<InitialModel> initial = find_initial_model(o);
  std::vector<std::string> problems;
  if (o.init_from && initial) {
    problems = keep_sizes(table, initial->files, o);
    settle_context(initial->files.config, o);
    keep_adapters(initial->files, o, problems);
    if ((o.lora_rank || o.adapter_size) && !initial->resumed)
      require_what_adapters_keep(o, initial->files, problems);
    if (!initial->resumed) {
      for (const std::string& problem : vocabulary_contradictions(table, o, initial->files))
        problems.push_back(problem);
    }
  } else {
    apply_preset(table, o);
    settle_context({}, o);
  }
  if (print_position_help(o)) return 0;
  for (const std::string& problem : problems_of(o, initial.has_value()))
    problems.push_back(problem);
  table.check(problems);
  o.trainer.defaulted = options_not_given(table);
  const training::Configuration configuration =
      configuration_of(table, o, {"valid-batch-tokens", "find-batch"});
  if (initial && initial->resumed)
    training::require_same_configuration(initial->files.directory, configuration, o.trainer);
  if (!o.dry_run && !o.find_batch) {  // these need only one process
    std::vector<std::string> words = {"train"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (const auto code =
            training::run_in_processes(process_options(table, o, input_files(o)), words))
      return *code;
  }
  return run(table, configuration, o, initial);
}

}  // namespace dietmt::tools
