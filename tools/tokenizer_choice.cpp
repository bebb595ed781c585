#include "tools/tokenizer_choice.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

using TokenizerPointer = std::shared_ptr<const data::Tokenizer>;

// The first process trains it, before the others come here.
TokenizerPointer trained(data::TokenizerOptions options, std::vector<std::string> inputs,
                         std::vector<std::string> tags, const fs::path& file,
                         const TrainingProcess& process) {
  if (!process.is_first()) return std::make_shared<data::Tokenizer>(file);
  options.inputs = std::move(inputs);
  options.tags = std::move(tags);
  spdlog::info("training the tokenizer {}", file.string());
  data::train_tokenizer(options, file);
  return std::make_shared<data::Tokenizer>(file);
}

}  // namespace

std::vector<std::string> TokenizerChoice::problems() const {
  std::vector<std::string> found;
  if (source_tokenizer.empty() != target_tokenizer.empty())
    found.emplace_back("--source-tokenizer and --target-tokenizer go together");
  if (!tokenizer.empty() && !source_tokenizer.empty())
    found.emplace_back("--tokenizer and --source-tokenizer exclude each other");
  return found;
}

void bind_tokenizers(OptionTable& table, TokenizerChoice& o) {
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

nmt::Tokenizers choose_tokenizers(const TokenizerChoice& choice, const CorpusOptions& text,
                                  uint64_t seed, const fs::path& folder,
                                  const TrainingProcess& process) {
  if (!choice.tokenizer.empty()) {
    const auto joint = std::make_shared<data::Tokenizer>(choice.tokenizer);
    return {joint, joint};
  }
  if (!choice.source_tokenizer.empty()) {
    return {std::make_shared<data::Tokenizer>(choice.source_tokenizer),
            std::make_shared<data::Tokenizer>(choice.target_tokenizer)};
  }
  data::TokenizerOptions options;
  options.vocabulary_size = choice.vocabulary_size;
  options.type = choice.tokenizer_type;
  options.seed = seed;
  options.threads = process.threads;
  if (choice.separate_tokenizers) {
    return {trained(options, text.train_source, text.tags(), folder / "source.tokenizer.model",
                    process),
            trained(options, text.train_target, {}, folder / "target.tokenizer.model", process)};
  }
  std::vector<std::string> both = text.train_source;
  both.insert(both.end(), text.train_target.begin(), text.train_target.end());
  const auto joint =
      trained(options, std::move(both), text.tags(), folder / "tokenizer.model", process);
  return {joint, joint};
}

std::vector<std::string> vocabulary_contradictions(const OptionTable& table,
                                                   const TokenizerChoice& choice,
                                                   const nmt::ModelFiles& model) {
  std::vector<std::string> found;
  const std::string name = model.directory.string();
  const auto compare = [&](const char* option, const std::string& file,
                           const data::Tokenizer& kept) {
    if (file.empty()) return;
    const data::Tokenizer given(file);
    if (given.serialized() == kept.serialized()) return;
    found.push_back(
        fmt::format("--{} {} ({} pieces) is another tokenizer than {} ({} pieces): "
                    "--init-from keeps that",
                    option, file, given.vocabulary_size(), kept.file(), kept.vocabulary_size()));
  };
  const data::Tokenizer& source = *model.tokenizers.source;
  const data::Tokenizer& target = *model.tokenizers.target;
  compare("tokenizer", choice.tokenizer, source);
  if (&target != &source) compare("tokenizer", choice.tokenizer, target);
  compare("source-tokenizer", choice.source_tokenizer, source);
  compare("target-tokenizer", choice.target_tokenizer, target);
  const int64_t size = choice.vocabulary_size;
  if (table.given("vocab-size") &&
      (size != source.vocabulary_size() || size != target.vocabulary_size())) {
    found.push_back(
        fmt::format("--vocab-size is {}, and {} has {}: --init-from keeps its "
                    "vocabulary",
                    size, name, source.vocabulary_size()));
  }
  for (const char* option : {"tokenizer-type", "separate-tokenizers"}) {
    if (table.given(option))
      found.push_back(
          fmt::format("--{} is about tokenizers to train, and --init-from keeps that of "
                      "{}",
                      option, name));
  }
  return found;
}

}  // namespace dietmt::tools
