// The tokenizers of a new translation model: given as files, or trained on the training text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/text/tokenizer.h"
#include "data/text/tokenizer_training.h"
#include "nmt/model/model_files.h"

namespace dietmt::nmt {

struct TokenizerChoice {
  std::string joint;               // file for both languages
  std::string source, target;      // or one file for each
  bool separate = false;           // otherwise train one for each language, not a joint one
  bool separator = false;          // with data::kSeparatorPiece
  data::TokenizerOptions options;  // of training, less the text and its tags
  std::optional<std::string> target_normalization;  // another one than that of `options`
};

struct TokenizerText {
  std::vector<std::string> source, target;  // files
  std::vector<std::string> source_tags;
};

/// The same tokenizers with data::kSeparatorPiece.
Tokenizers with_separator(const Tokenizers& tokenizers);

/// The chosen tokenizers. New ones are written to `directory` by the process that `trains`; others
/// read them there afterwards.
Tokenizers training_tokenizers(const TokenizerChoice& choice, const TokenizerText& text,
                               const std::filesystem::path& directory, bool trains);

}  // namespace dietmt::nmt
