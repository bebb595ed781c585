// Draws text and pieces of a sentence pair anew for each use.
#pragma once

#include <cstdint>
#include <memory>

#include "data/corpus/augmentation.h"
#include "data/corpus/parallel_corpus.h"
#include "data/text/subword_sampler.h"

namespace dietmt::data {

struct PairDrawing {
  std::shared_ptr<const SubwordSampler> source, target;  // null: the side keeps its pieces
  // Longest drawn sentence in tokens, with end of sentence; a longer one is not used.
  int64_t longest = 1024;
  std::shared_ptr<const Augmentation> augmentation = nullptr;  // null: pairs keep their text

  bool any() const { return source != nullptr || target != nullptr || augmentation != nullptr; }
};

/// Which use of a pair: `number` counts those of an epoch.
struct PairUse {
  uint64_t seed = 1;
  int64_t epoch = 0;
  uint64_t number = 0;
};

/// The pair as it is used, the same for the same use.
DrawnPair drawn_pair(const ParallelCorpus& corpus, int64_t pair, const PairDrawing& drawing,
                     const PairUse& use);

/// Average growth in tokens of each side when pairs are drawn; 1 if they stay.
struct TokenGrowth {
  double source = 1.0;
  double target = 1.0;
};

/// Measured on up to 1000 pairs spread over the corpus; the same for the same seed.
TokenGrowth token_growth(const ParallelCorpus& corpus, const PairDrawing& drawing, uint64_t seed);

}  // namespace dietmt::data
