// Scripts whose words have no spaces between them, in which BLEU's usual tokenizer finds no words.
#pragma once

#include <string>
#include <vector>

namespace dietmt::metrics {

/// The tokenizer that sacreBLEU chooses for a code such as zh, zh-Hant, ja or ko: zh, ja-mecab,
/// ko-mecab; 13a for all others.
std::string usual_tokenizer(const std::string& language);

/// What is wrong with a tokenizer for these references, and what to do; "" if it fits. Looks at the
/// letters of the first 1000 lines.
std::string tokenizer_problem(const std::string& tokenizer,
                              const std::vector<std::string>& references);

}  // namespace dietmt::metrics
