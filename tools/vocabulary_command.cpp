// dietmt vocabulary: a model with more or fewer pieces in its vocabulary.

#include <spdlog/spdlog.h>

#include <filesystem>

#include "common/atomic_file.h"
#include "common/options.h"
#include "nmt/network/vocabulary_change.h"
#include "tools/command_list.h"

namespace dietmt::tools {
namespace {

struct VocabularyOptions {
  std::string model;
  nmt::VocabularyText text;
  std::string output;
  std::vector<std::string> languages;
  int64_t pieces = 1000;
};

void bind_model_and_text(OptionTable& table, VocabularyOptions& o) {
  table.group("Model")
      .add("model", &o.model, "DIR",
           "model with full weights and a sentencepiece vocabulary: a directory, or the output "
           "directory of train (its best checkpoint)",
           {.required = true})
      .add("output", &o.output, "DIR", "model directory to write",
           {.required = true, .is_new = true});
  table.group("Text")
      .add("source", &o.text.source, "FILE...",
           "text of the source language, plain or compressed; FILE.tsv:2 is a column. A vocabulary "
           "of both languages takes the text of both options")
      .add("target", &o.text.target, "FILE...", "text of the target language");
  table.positional("model");
}

std::vector<std::string> text_problems(const VocabularyOptions& o, bool needs_text) {
  if (!needs_text || !o.text.source.empty() || !o.text.target.empty()) return {};
  return {"give text: --source, --target or both"};
}

void write(const nmt::ModelFiles& from, const nmt::ChangedModel& changed,
           const std::string& output) {
  AtomicDirectory directory(output);
  nmt::write_model(directory.path(), changed.config,
                   {changed.weights.begin(), changed.weights.end()}, *changed.tokenizers.source,
                   *changed.tokenizers.target);
  directory.commit();
  const auto sizes = [](const nmt::Tokenizers& tokenizers) {
    const std::string source = std::to_string(tokenizers.source->vocabulary_size());
    if (tokenizers.source == tokenizers.target) return source;
    return source + " and " + std::to_string(tokenizers.target->vocabulary_size());
  };
  spdlog::info("wrote {}: {} pieces instead of {}", output, sizes(changed.tokenizers),
               sizes(from.tokenizers));
}

int run_extend(const std::vector<std::string>& arguments) {
  VocabularyOptions o;
  OptionTable table("vocabulary extend", "[--model] DIR --source FILE... --output DIR",
                    "Adds pieces to the vocabulary before fine-tuning on text of another domain, "
                    "language or script: each character that it lacks, and the words or parts of "
                    "words that join the most neighbouring pieces. A new piece starts as the mean "
                    "of the pieces that it replaces.");
  bind_model_and_text(table, o);
  table.add("pieces", &o.pieces, "N", "new pieces besides characters, at most",
            {.least = 0, .most = 1'000'000});
  table.example(
      "dietmt vocabulary extend nllb --source news.wo --target news.fr --pieces 4000 --output "
      "longer");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(text_problems(o, true));
  const nmt::ModelFiles model = nmt::open_model(o.model);
  write(model, nmt::extend_vocabulary(model, o.text, o.pieces), o.output);
  return 0;
}

int run_trim(const std::vector<std::string>& arguments) {
  VocabularyOptions o;
  OptionTable table(
      "vocabulary trim", "[--model] DIR --source FILE... | --languages LANG... --output DIR",
      "Removes the pieces that text does not need, which makes a model of many languages "
      "smaller and faster. The text keeps its pieces, and other text can still be written: single "
      "characters, bytes and special pieces stay.");
  bind_model_and_text(table, o);
  table.add("languages", &o.languages, "LANG...",
            "keep only these of the model's languages and the characters of their scripts; without "
            "text also all pieces of these scripts");
  table.example("dietmt vocabulary trim nllb --languages en de --output smaller")
      .example("dietmt vocabulary trim nllb --source train.en --target train.de --output smaller");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  std::vector<std::string> problems = text_problems(o, o.languages.empty());
  if (!problems.empty()) problems.front() += "; or --languages";
  table.check(problems);
  const nmt::ModelFiles model = nmt::open_model(o.model);
  write(model, nmt::trim_vocabulary(model, o.text, o.languages), o.output);
  return 0;
}

}  // namespace

int run_vocabulary(const std::vector<std::string>& arguments) {
  const CommandList list{
      "dietmt vocabulary",
      "A model with more or fewer pieces in its vocabulary.",
      {{"extend", "add pieces learned from text, before fine-tuning", run_extend},
       {"trim", "remove pieces that text or languages do not need", run_trim}},
      "dietmt vocabulary trim nllb --languages en de --output smaller"};
  return list.run(arguments);
}

}  // namespace dietmt::tools
