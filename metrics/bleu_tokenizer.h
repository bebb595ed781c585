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

/// A tokenizer that needs more than this folder: MeCab's words (mecab_tokenizer()), pieces of a
/// subword model.
struct GivenTokenizer {
  std::string name;                                                 // as the signature has it
  std::function<std::string(std::string_view sentence)> separated;  // words with spaces between
};

/// True of ja-mecab and ko-mecab: Japanese and Korean words as sacreBLEU's tokenizers find them, by
/// MeCab, which is loaded at run time if the system has it (Debian: libmecab2, mecab-ipadic-utf8).
bool is_mecab_tokenizer(const std::string& name);

/// `dictionary`: its directory; empty: the one that the system's MeCab uses. ja-mecab needs the IPA
/// dictionary, ko-mecab mecab-ko-dic. The signature is sacreBLEU's, such as ja-mecab-0.996-IPA; if
/// the dictionary has some words more or less than sacreBLEU's, their number follows. Throws
/// ConfigError if MeCab or the dictionary is missing.
GivenTokenizer mecab_tokenizer(const std::string& name, const std::string& dictionary);

}  // namespace dietmt::metrics
