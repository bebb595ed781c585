// Japanese and Korean words as sacreBLEU's tokenizers ja-mecab and ko-mecab find them: by MeCab,
// which is loaded at run time if the system has it (Debian: libmecab2, mecab-ipadic-utf8).
#pragma once

#include <string>

#include "metrics/bleu_tokenizer.h"

namespace dietmt::metrics {

/// True of ja-mecab and ko-mecab.
bool is_mecab_tokenizer(const std::string& name);

/// `dictionary`: its directory; empty: the one that the system's MeCab uses. ja-mecab needs the IPA
/// dictionary, ko-mecab mecab-ko-dic. The signature is sacreBLEU's, such as ja-mecab-0.996-IPA; if
/// the dictionary has some words more or less than sacreBLEU's, their number follows. Throws
/// ConfigError if MeCab or the dictionary is missing.
GivenTokenizer mecab_tokenizer(const std::string& name, const std::string& dictionary);

}  // namespace dietmt::metrics
