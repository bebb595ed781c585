// Training of subword models with sentencepiece (Kudo and Richardson 2018).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/text/normalization.h"
#include "data/text/utf8_lines.h"

namespace dietmt::data {

/// The special pieces and their ids.
enum class SpecialSet {
  kTranslation,  // unknown 0, begin of sentence 1, end of sentence 2
  kBert,         // [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4
};

/// "translation" or "bert". Throws ConfigError.
SpecialSet special_set_from_name(const std::string& name);

struct TokenizerOptions {
  std::vector<std::string> inputs;  // text files, plain or compressed
  int64_t vocabulary_size = 8000;
  bool may_shrink = false;   // a text with fewer pieces gets a smaller vocabulary
  std::string type = "bpe";  // "bpe" or "unigram"
  SpecialSet special = SpecialSet::kTranslation;
  std::string normalization = Normalization().name;
  bool lowercase = false;      // the model folds the case of the text; not with "nfc" and "none"
  bool byte_fallback = false;  // 256 pieces for the bytes of characters without a piece
  bool split_digits = false;   // each digit is a piece
  /// Words that always stay single pieces, such as the tags of source lines.
  std::vector<std::string> tags;
  std::vector<std::string> symbols;   // strings that always are pieces, inside words too
  std::vector<std::string> settings;  // other settings of sentencepiece's trainer: NAME=VALUE
  bool separator = false;             // also a kSeparatorPiece; only with SpecialSet::kTranslation
  double character_coverage = 1.0;
  int64_t sentences = 1'000'000;  // sampled from the input when it has more lines
  uint64_t seed = 1;
  int64_t threads = 2;
  InvalidUtf8 invalid_utf8 = InvalidUtf8::kRefuse;
};

/// The text of a second language, which is normalized in another way: its model has the same
/// pieces.
struct SecondLanguage {
  std::vector<std::string> inputs;
  std::string normalization;
  std::filesystem::path output;
};

/// Trains a sentencepiece model and writes it to `output` atomically, and that of a second language
/// to its file. The case of two languages is not folded.
/// Throws ConfigError with all that is wrong with the options, also for a vocabulary that is too
/// large for the text and may not shrink (the message says the largest possible size). Throws
/// DataError for a file:line that is not UTF-8 and for a tag that the model's normalisation
/// changes.
void train_tokenizer(const TokenizerOptions& options, const std::filesystem::path& output,
                     const std::optional<SecondLanguage>& second = {});

}  // namespace dietmt::data
