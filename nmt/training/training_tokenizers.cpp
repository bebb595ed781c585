#include "nmt/training/training_tokenizers.h"

#include <spdlog/spdlog.h>

namespace dietmt::nmt {
namespace fs = std::filesystem;
namespace {

using TokenizerPointer = std::shared_ptr<const data::Tokenizer>;

constexpr const char* kSourceFile = "source.tokenizer.model";
constexpr const char* kTargetFile = "target.tokenizer.model";

TokenizerPointer trained(data::TokenizerOptions options, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& tags, const fs::path& file, bool trains) {
  if (trains) {
    options.inputs = inputs;
    options.tags = tags;
    spdlog::info("training the tokenizer {}", file.string());
    data::train_tokenizer(options, file);
  }
  return std::make_shared<data::Tokenizer>(file);
}

// The same pieces for both languages.
Tokenizers trained_pair(data::TokenizerOptions options, const TokenizerText& text,
                        const std::string& target_normalization, const fs::path& directory,
                        bool trains) {
  const fs::path source = directory / kSourceFile, target = directory / kTargetFile;
  if (trains) {
    options.inputs = text.source;
    options.tags = text.source_tags;
    spdlog::info("training the tokenizers {} and {}", source.string(), target.string());
    data::train_tokenizer(options, source, {{text.target, target_normalization, target}});
  }
  return {std::make_shared<data::Tokenizer>(source), std::make_shared<data::Tokenizer>(target)};
}

Tokenizers chosen(const TokenizerChoice& choice, const TokenizerText& text,
                  const fs::path& directory, bool trains) {
  if (!choice.joint.empty()) {
    const auto joint = data::open_tokenizer(choice.joint);
    return {joint, joint};
  }
  if (!choice.source.empty()) {
    return {data::open_tokenizer(choice.source), data::open_tokenizer(choice.target)};
  }
  const std::string target_normalization =
      choice.target_normalization.value_or(choice.options.normalization);
  if (choice.separate) {
    data::TokenizerOptions of_target = choice.options;
    of_target.normalization = target_normalization;
    return {trained(choice.options, text.source, text.source_tags, directory / kSourceFile, trains),
            trained(of_target, text.target, {}, directory / kTargetFile, trains)};
  }
  if (target_normalization != choice.options.normalization)
    return trained_pair(choice.options, text, target_normalization, directory, trains);
  std::vector<std::string> both = text.source;
  both.insert(both.end(), text.target.begin(), text.target.end());
  const auto joint =
      trained(choice.options, both, text.source_tags, directory / "tokenizer.model", trains);
  return {joint, joint};
}

}  // namespace

Tokenizers with_separator(const Tokenizers& tokenizers) {
  const auto source = data::with_separator(tokenizers.source);
  if (tokenizers.target == tokenizers.source) return {source, source};
  return {source, data::with_separator(tokenizers.target)};
}

Tokenizers training_tokenizers(const TokenizerChoice& choice, const TokenizerText& text,
                               const fs::path& directory, bool trains) {
  TokenizerChoice all = choice;
  all.options.separator = choice.separator;
  const Tokenizers tokenizers = chosen(all, text, directory, trains);
  return choice.separator ? with_separator(tokenizers) : tokenizers;
}

}  // namespace dietmt::nmt
