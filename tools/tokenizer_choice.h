// The subword models of a training: given, trained on its text, or those of the model that it goes
// on from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/options.h"
#include "nmt/model/model_files.h"
#include "tools/corpus_options.h"
#include "tools/training_process.h"

namespace dietmt::tools {

struct TokenizerChoice {
  std::string tokenizer, source_tokenizer, target_tokenizer;
  int64_t vocabulary_size = 8000;
  std::string tokenizer_type = "bpe";
  bool separate_tokenizers = false;

  bool separate() const { return separate_tokenizers || !source_tokenizer.empty(); }
  /// All that is wrong, one sentence each.
  std::vector<std::string> problems() const;
};

/// Adds them as the group "Subwords".
void bind_tokenizers(OptionTable& table, TokenizerChoice& choice);

/// The given tokenizers, or new ones in `folder`, which the first process trains on the training
/// text.
nmt::Tokenizers choose_tokenizers(const TokenizerChoice& choice, const CorpusOptions& text,
                                  uint64_t seed, const std::filesystem::path& folder,
                                  const TrainingProcess& process);

/// Where given options want other subwords than those of `model`, which are kept: one sentence
/// each with both values.
std::vector<std::string> vocabulary_contradictions(const OptionTable& table,
                                                   const TokenizerChoice& choice,
                                                   const nmt::ModelFiles& model);

}  // namespace dietmt::tools
