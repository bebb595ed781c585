// A reference and its translations by several systems as numbers of words: what the comparisons of
// words and n-grams read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metrics/ngrams.h"

namespace dietmt::metrics {

/// The words of a sentence, such as Bleu::words.
using WordSplitter = std::function<std::vector<std::string>(const std::string& sentence)>;

struct NumberedTexts {
  WordIds ids = {};
  std::vector<Symbols> reference = {};             // by sentence
  std::vector<std::vector<Symbols>> systems = {};  // by system and sentence

  NumberedTexts(const WordSplitter& words, const std::vector<std::string>& reference_lines,
                const std::vector<std::vector<std::string>>& hypotheses) {
    for (const std::string& line : reference_lines) reference.push_back(ids.number(words(line)));
    for (const std::vector<std::string>& lines : hypotheses) {
      std::vector<Symbols>& system = systems.emplace_back();
      for (const std::string& line : lines) system.push_back(ids.number(words(line)));
    }
  }
};

}  // namespace dietmt::metrics
