// The sample corpus: English sentences with German or Czech translations, made from a grammar in
// which word order, agreement and long-distance dependence matter. For trying things out and for
// tests; the translations are a function of the English side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::data {

enum class SampleLanguage { kGerman, kCzech };

struct SentencePair {
  std::string source;  // English
  std::string target;
};

/// `count` pairs with different sources of 3 to 30 words, a function of the seed. A larger count
/// continues a smaller one; the same seed gives the same sources for both languages.
std::vector<SentencePair> generate_sample(SampleLanguage language, int64_t count, uint64_t seed);

struct SampleSizes {
  int64_t train = 24000;
  int64_t valid = 500;
  int64_t test = 500;
};

struct SampleCorpus {
  std::vector<SentencePair> train, valid, test;
};

/// Disjoint splits; test and valid do not depend on the size of train.
SampleCorpus generate_corpus(SampleLanguage language, const SampleSizes& sizes, uint64_t seed);

}  // namespace dietmt::data
