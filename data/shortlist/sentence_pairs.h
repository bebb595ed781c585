// Parallel text as the aligner reads it: pairs of id sequences without end of sentence.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "data/corpus/parallel_corpus.h"

namespace dietmt::data {

struct TokenPair {
  std::span<const int32_t> source;
  std::span<const int32_t> target;
};

/// `at(pair)` is called from several threads; its ids are in 0 .. vocabulary-1 of their side.
struct SentencePairs {
  int64_t size = 0;
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  std::function<TokenPair(int64_t)> at;
};

/// The pairs of `corpus`, which must outlive them.
inline SentencePairs sentence_pairs(const ParallelCorpus& corpus, const Tokenizer& source,
                                    const Tokenizer& target) {
  const auto without_end = [](std::span<const int32_t> ids) { return ids.first(ids.size() - 1); };
  return {corpus.size(), source.vocabulary_size(), target.vocabulary_size(),
          [&corpus, without_end](int64_t pair) {
            return TokenPair{without_end(corpus.source(pair)), without_end(corpus.target(pair))};
          }};
}

}  // namespace dietmt::data
