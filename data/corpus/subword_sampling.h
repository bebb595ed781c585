// Samples new pieces for each use of a sentence pair.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/corpus/parallel_corpus.h"
#include "data/text/subword_sampler.h"

namespace dietmt::data {

struct SubwordSampling {
  std::shared_ptr<const SubwordSampler> source, target;  // null: the side keeps its pieces
  // Longest sampled sentence in tokens, with end of sentence; a longer one keeps its pieces.
  int64_t longest = 1024;

  bool any() const { return source != nullptr || target != nullptr; }
};

/// The pieces of one side for the use with this key, or `ids`.
std::vector<int32_t> drawn_pieces(const SubwordSampler* sampler, int64_t longest,
                                  std::span<const int32_t> ids, uint64_t key);

/// Average growth in tokens of each side when its pieces are sampled; 1 if the side keeps its
/// pieces.
struct TokenGrowth {
  double source = 1.0;
  double target = 1.0;
};

/// Measured on up to 1000 pairs spread over the corpus; the same for the same seed.
TokenGrowth token_growth(const ParallelCorpus& corpus, const SubwordSampling& sampling,
                         uint64_t seed);

/// The key of one side of a pair. `use` numbers the uses of pairs in an epoch.
uint64_t sampling_key(uint64_t seed, int64_t epoch, uint64_t use, bool target);

}  // namespace dietmt::data
