// How well systems translate rare and frequent words: F1 of the words of each frequency (the word
// accuracies of compare-mt, Neubig et al. 2019). In each sentence a word is right as often as both
// translation and reference have it:
//   P = right / words of the system,  R = right / words of the reference,  F1 = 2 P R / (P + R)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/comparison/numbered_texts.h"

namespace dietmt::metrics {

/// By number of the word.
using WordFrequencies = std::vector<int64_t>;

/// How often the reference has each word.
WordFrequencies frequencies_in_reference(const NumberedTexts& texts);

/// How often the files have each word of `texts`. Memory does not depend on their size.
WordFrequencies frequencies_in_files(const NumberedTexts& texts, const WordSplitter& words,
                                     const std::vector<std::string>& files);

struct WordAccuracy {
  std::string frequency;        // "5–9"
  int64_t reference_words = 0;  // words of that frequency in the reference
  std::vector<double> f1 = {};  // percentages, by system
};

/// The frequencies that the reference has, from the lowest.
std::vector<WordAccuracy> accuracy_by_frequency(const NumberedTexts& texts,
                                                const WordFrequencies& frequencies);

}  // namespace dietmt::metrics
