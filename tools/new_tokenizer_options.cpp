#include "tools/new_tokenizer_options.h"

#include <fmt/format.h>

namespace dietmt::tools {

OptionRule normalization_rule() { return {.choices = {"nmt-nfkc", "nfkc", "nfc", "none"}}; }

void bind_new_tokenizer(OptionTable& table, data::TokenizerOptions& o, const char* type) {
  table
      .add("vocab-size", &o.vocabulary_size, "N", "vocabulary size, with special pieces",
           ranges::kVocabulary)
      .add(type, &o.type, "",
           "bpe: merge the most frequent pair first; unigram: most probable segmentation",
           {.choices = {"bpe", "unigram"}})
      .add("character-coverage", &o.character_coverage, "SHARE",
           "share of the text's characters that get a piece; use 0.9995 for Chinese or Japanese",
           {.least = 0.98, .most = 1})
      .add("byte-fallback", &o.byte_fallback, "",
           "write characters without a piece as bytes, for which 256 pieces of the vocabulary are "
           "used, so that the model can read and write every character")
      .add("normalization", &o.normalization, "",
           "characters that count as the same; nmt-nfkc: those that Unicode's NFKC unites, such as "
           "a superscript 2 and 2, and kinds of spaces; nfkc: without the spaces; nfc: only a "
           "letter "
           "with its accent and both as one character; none: none",
           normalization_rule())
      .add("split-digits", &o.split_digits, "", "make each digit of a number a piece")
      .add("user-symbols", &o.symbols, "TEXT...",
           "strings that always are one piece, inside words too")
      .add("lowercase", &o.lowercase, "", "fold the case of the text, that of translations too")
      .add("sentencepiece", &o.settings, "NAME=VALUE...",
           "other settings of sentencepiece's trainer, such as max_sentencepiece_length=8");
}

std::vector<std::string> new_tokenizer_options() {
  return {"vocab-size",   "tokenizer-type", "character-coverage", "byte-fallback", "normalization",
          "split-digits", "user-symbols",   "lowercase",          "sentencepiece"};
}

std::vector<std::string> ignored_by_tokenizer(const OptionTable& table, int64_t vocabulary_size,
                                              const std::string& tokenizer, int64_t pieces) {
  if (!table.given("vocab-size") || vocabulary_size == pieces) return {};
  return {fmt::format("--vocab-size {} is ignored: {} has {} pieces", vocabulary_size, tokenizer,
                      pieces)};
}

std::vector<std::string> ignored_without_training(const OptionTable& table) {
  std::vector<std::string> found;
  for (const std::string& name : new_tokenizer_options())
    if (name != "vocab-size" && table.given(name))
      found.push_back(fmt::format("--{} is ignored: no tokenizer is trained", name));
  return found;
}

}  // namespace dietmt::tools
