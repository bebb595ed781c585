#include "tools/train_options.h"

#include <spdlog/spdlog.h>

#include <filesystem>

#include "common/error.h"
#include "data/text/text_column.h"
#include "interchange/marian/marian_export.h"
#include "nmt/network/model_size.h"
#include "nmt/training/translation_task.h"
#include "tools/output_problems.h"

namespace dietmt::tools {
namespace fs = std::filesystem;

OptionTable train_option_table(TrainOptions& o) {
  OptionTable table(
      "train",
      "--train-source FILE... --train-target FILE... --valid-source FILE --valid-target FILE "
      "--output DIR",
      "Trains an encoder-decoder Transformer on parallel text (plain, gzip, bzip2, xz or zstd). "
      "Run the same command "
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
           "source (the default): the target is one sentence; both: the N target sentences "
           "before it come first, and translation keeps only the text after the last "
           "separator",
           {.choices = {"source", "both"}});
  table
      .add("output", &o.output, "DIR", "directory for checkpoints, progress and report",
           {.required = true})
      .add("batch-tokens", &o.batch_tokens, "N",
           "batch size: at most N target and 2 N source tokens", ranges::kBatchTokens);
  bind_subwords(table, o);
  bind_model_options(table, o);
  table.add("init-from", &o.init_from, "MODEL",
            "start from this model, to fine-tune it on another domain or with other position "
            "encodings; keeps its subwords and sizes, and each setting that no option changes");
  bind_updates(table, o);
  bind_learning(table, o);
  bind_guided_alignment(table, o);
  bind_checkpoints(table, o);
  table
      .add("no-valid-translation", &o.no_valid_translation, "",
           "validate only the loss, without beam search for BLEU and chrF")
      .add("valid-beam", &o.validation.search.beam, "N", "beam size of validation",
           nmt::search_option(&nmt::SearchOptions::beam).rule)
      .add("valid-tokenize", &o.validation.tokenizer, "",
           "tokenizer of BLEU; none: the text is tokenized already",
           {.choices = {"13a", "intl", "char", "zh", "none"}})
      .add("valid-lowercase", &o.validation.lowercase, "",
           "lower-case both sides for BLEU and chrF")
      .add("remove-bpe", &o.validation.remove_bpe, "",
           "text that was cut by other BPE (new@@ er): measure whole words")
      .add("valid-command", &o.validation.command, "COMMAND",
           "shell command that gets the file of the translations (of several texts, the files) and "
           "prints a score as its last line, the higher the better; --valid-metric command selects "
           "by it")
      .add("comet-model", &o.comet_model, "DIR",
           "COMET model, written by 'dietmt import', that also scores the translations; "
           "--valid-metric comet selects by it")
      .add("valid-output", &o.valid_output, "FILE",
           "write the translations of the newest validation here; of several texts FILE.1 and so "
           "on")
      .add("valid-batch-tokens", &o.validation.search.batch_tokens, "N",
           "batch size of validation in source tokens", ranges::kBatchTokens);
  bind_machine(table, o);
  add_cuda_graphs(table, o.cuda_graphs);
  bind_processes(table, o);
  table.add("find-batch", &o.find_batch, "",
            "try batches of growing size, print the largest --batch-tokens that fits, exit");
  table
      .basics({"batch-tokens", "vocab-size", "preset", "position", "max-updates", "learning-rate",
               "warmup", "valid-interval", "device", "precision", "dry-run"})
      .example(
          "dietmt train --train-source train.en --train-target train.de \\\n      "
          "--valid-source valid.en --valid-target valid.de --output model");
  return table;
}

namespace {

// Standard input and pipes can be read only once.
std::vector<std::string> reading_problems(const TrainOptions& o, bool has_tokenizers) {
  std::vector<std::string> found;
  const auto require_file = [&](const std::string& name, const std::string& reason) {
    const std::string file = data::TextColumn(name).file;
    if (!file.empty() && !fs::is_regular_file(file))
      found.push_back(file + " can be read only once, but " + reason);
  };
  if (!o.no_valid_translation) {
    for (const auto* files : {&o.valid_source, &o.valid_target})
      for (const std::string& file : *files)
        require_file(file, "validation reads it twice: give a file, or --no-valid-translation");
  }
  const bool trains_tokenizer = !has_tokenizers && !o.SubwordOptions::given();
  for (const auto* files : {&o.train_source, &o.train_target}) {
    for (const std::string& file : *files) {
      if (trains_tokenizer)
        require_file(file, "the tokenizer is trained on it first: give a file, or --tokenizer");
      else if (o.guided_by_file())
        require_file(file, "--guided-alignment FILE counts its words: give a file");
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> memory_problems(const TrainOptions& o) {
  // How many are frozen is not known before the model is built.
  const double bytes = o.partly_frozen() ? sizeof(float) : bytes_per_weight(o);
  const std::string problem = nmt::memory_problem(o.model, bytes);
  if (problem.empty()) return {};
  return {problem};
}

std::vector<std::string> problems_of(const OptionTable& table, TrainOptions& o,
                                     bool has_tokenizers) {
  std::vector<std::string> problems = o.CorpusOptions::problems(o.model.languages);
  const bool has_tags = problems.empty() && !o.tags(o.model.languages).empty();
  const auto add = [&](const std::vector<std::string>& more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  if (problems.empty()) add(reading_problems(o, has_tokenizers));
  add(o.SubwordOptions::problems(has_tokenizers));
  if (o.one_each() && o.model.tied_embeddings == "all")
    problems.push_back("--tied-embeddings all needs a joint tokenizer: choose none or decoder");
  try {
    const size_t translated = o.no_valid_translation ? 0 : o.valid_source.size();
    training::require_score(nmt::TranslationTask::possible_scores(
                                translated, {.comet = !o.comet_model.empty(),
                                             .command = !o.validation.command.empty()}),
                            o.trainer.valid_metric);
  } catch (const ConfigError& error) {
    problems.push_back(error.what());
  }
  if (o.model.context == 0 && o.context_sides)
    problems.push_back("--context-sides needs --context");
  add(o.GuidedAlignmentOptions::problems(o.model, o.draws_pairs(), has_tags));
  for (const std::string& problem : output_problems(o.valid_output, o.texts()))
    problems.push_back("--valid-output: " + problem);
  if (o.dry_run && o.find_batch)
    problems.emplace_back("--dry-run and --find-batch cannot be combined");
  o.trainer.output = o.output;
  o.trainer.low_rank = o.low_rank();
  add(resolve_training(table, o));
  o.set_head(o.model);
  // run() learns the size of a given tokenizer.
  o.model.source_vocabulary = o.model.target_vocabulary = o.tokenizers.options.vocabulary_size;
  add(model_problems(o.model));
  if (o.marian && o.lora_rank)
    problems.emplace_back("--marian and --lora-rank cannot be combined: an adapter has no start");
  if (o.marian)
    for (const std::string& problem : interchange::marian_problems(o.model))
      problems.push_back("--marian: " + problem);
  add(o.LearningOptions::problems(o.model, o, o.init_from.has_value()));
  if (problems.empty()) add(memory_problems(o));
  // So that a resumed training may give them.
  if ((o.subword_sampling || o.bpe_dropout) && !o.sampled_sides) o.sampled_sides = "both";
  if (o.lora_rank && !o.lora_alpha) o.lora_alpha = static_cast<double>(*o.lora_rank);
  return problems;
}

void warn_of_habits(const OptionTable& table, const TrainOptions& o) {
  constexpr int64_t kBatch = 1024;  // longer than sentences are
  if (table.given("max-tokens") && !table.given("batch-tokens") && o.filter.max_tokens >= kBatch)
    spdlog::warn(
        "--max-tokens {} drops longer sentences. fairseq's --max-tokens is --batch-tokens here, "
        "now {}",
        o.filter.max_tokens, o.batch_tokens);
  for (size_t i = 0; i < o.train_source.size(); ++i)
    if (o.train_source[i] == o.train_target[i])
      spdlog::warn("{} is both sides of the training text: the model learns to copy lines",
                   o.train_source[i]);
  const bool default_size = !o.init_from && !table.given("preset") && !table.given("width");
  if (o.device.starts_with("cuda") && default_size)
    spdlog::info("--preset {}, the default, is small for a GPU; --preset base is the usual choice",
                 o.preset);
}

}  // namespace dietmt::tools
