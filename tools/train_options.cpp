#include "tools/train_options.h"

#include <filesystem>

#include "common/error.h"
#include "metrics/bleu_tokenizer.h"
#include "nmt/training/translation_task.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

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

// Standard input and pipes can be read once: not for the translations of a validation besides its
// loss, nor for a tokenizer before the training.
std::vector<std::string> reading_problems(const TrainOptions& o, bool has_tokenizers) {
  std::vector<std::string> found;
  const auto require_file = [&](const std::string& file, const std::string& reason) {
    if (!file.empty() && !fs::is_regular_file(file))
      found.push_back(file + " can be read only once, and " + reason);
  };
  if (!o.no_valid_translation) {
    for (const std::string& file : {o.valid_source, o.valid_target})
      require_file(file, "validation reads it twice; give a file, or --no-valid-translation");
  }
  if (has_tokenizers || !o.tokenizer.empty() || !o.source_tokenizer.empty()) return found;
  for (const auto* files : {&o.train_source, &o.train_target})
    for (const std::string& file : *files)
      require_file(file, "the tokenizer is trained on it first; give a file, or --tokenizer");
  return found;
}

}  // namespace

void bind(OptionTable& table, TrainOptions& o) {
  bind_data(table, o);
  bind_tokenizers(table, o);
  bind_model_options(table, o);
  table.add("init-from", &o.init_from, "MODEL",
            "start from the weights of this model, for another domain or other positions: its "
            "subwords and sizes are kept, and so is all that no option gives");
  bind_training(table, o);
}

void validate(TrainOptions& o, std::vector<std::string> problems, bool has_tokenizers) {
  const auto require = [&](bool good, const std::string& message) {
    if (!good) problems.push_back(message);
  };
  const auto add = [&](const std::vector<std::string>& more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  const std::vector<std::string> corpus_problems = o.CorpusOptions::problems();
  add(corpus_problems);
  if (corpus_problems.empty()) add(reading_problems(o, has_tokenizers));
  add(o.TokenizerChoice::problems());
  require(!o.output.empty(), "--output is missing");
  require(o.batch_tokens >= 1, "--batch-tokens must be positive");
  require(o.label_smoothing >= 0.0 && o.label_smoothing < 1.0,
          "--label-smoothing must be at least 0 and below 1");
  require(!o.separate() || o.model.tied_embeddings != "all",
          "--tied-embeddings all needs a joint tokenizer; choose none or decoder");
  require(o.search.beam >= 1, "--valid-beam must be positive");
  require(o.search.batch_tokens >= 1, "--valid-batch-tokens must be positive");
  try {
    metrics::bleu_tokenizer_from_name(o.valid_tokenizer);
  } catch (const ConfigError& error) {
    problems.push_back(std::string("--valid-tokenize: ") + error.what());
  }
  try {
    training::require_score(nmt::TranslationTask::possible_scores(!o.no_valid_translation),
                            o.trainer.valid_metric);
  } catch (const ConfigError& error) {
    problems.push_back(error.what());
  }
  o.trainer.output = o.output;
  add(resolve(o));
  add(model_problems(o.model));
  throw_if_any(problems);
}

}  // namespace dietmt::tools
