// The tokenizers of BLEU, equal to those of sacreBLEU 2.6.0:
//   13a   mteval-v13a, the default: ASCII punctuation; what WMT reports
//   intl  mteval-v14 --international-tokenization: punctuation and symbols of all scripts
//   char  each character; for languages without spaces
//   none  splits at whitespace: for text that is tokenized already (multi-bleu.perl)
//   zh    Chinese characters apart, the rest as 13a
// intl asks the installed ICU for properties of characters: those that its Unicode version does not
// know yet count as neither punctuation nor symbols.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::metrics {

enum class BleuTokenizer { k13a, kIntl, kChar, kNone, kZh };

/// Throws ConfigError naming the choices.
BleuTokenizer bleu_tokenizer_from_name(const std::string& name);

std::string to_string(BleuTokenizer tokenizer);

std::vector<std::string> tokenize(BleuTokenizer tokenizer, std::string_view sentence);

/// A tokenizer that needs more than this folder: MeCab's words (metrics/mecab.h), pieces of a
/// subword model.
struct GivenTokenizer {
  std::string name;                                                 // as the signature has it
  std::function<std::string(std::string_view sentence)> separated;  // words with spaces between
};

}  // namespace dietmt::metrics
