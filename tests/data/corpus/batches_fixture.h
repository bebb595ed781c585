// A corpus of toy text, and its batches.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "data/corpus/batches.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {

class BatchesTest : public ToyTextTest {
 protected:
  BatchesTest()
      : corpus_({{source_file(), target_file()}}, tokenizer(), tokenizer(), {}, scratch() / "cache",
                1) {}

  static BatchOptions options(int64_t tokens = 500, uint64_t seed = 1) { return {tokens, seed}; }

  // The batches up to the end of the iterator's current epoch.
  static std::vector<ParallelBatch> rest_of_epoch(BatchIterator& batches) {
    std::vector<ParallelBatch> all;
    do {
      all.push_back(batches.next());
    } while (batches.position().batch < batches.batches_in_epoch());
    return all;
  }

  static std::vector<std::vector<int64_t>> pairs_of(const std::vector<ParallelBatch>& batches) {
    std::vector<std::vector<int64_t>> pairs;
    for (const ParallelBatch& batch : batches) pairs.push_back(batch.pairs);
    return pairs;
  }

  static std::vector<int32_t> sentence(const PackedTokens& packed, size_t index) {
    return {packed.tokens.begin() + packed.offsets[index],
            packed.tokens.begin() + packed.offsets[index + 1]};
  }

  void expect_every_pair_once(const std::vector<ParallelBatch>& batches) const {
    std::vector<int64_t> seen;
    for (const ParallelBatch& batch : batches)
      seen.insert(seen.end(), batch.pairs.begin(), batch.pairs.end());
    std::sort(seen.begin(), seen.end());
    std::vector<int64_t> all(static_cast<size_t>(corpus_.size()));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
  }

  void expect_the_corpus_tokens(const ParallelBatch& batch) const {
    ASSERT_EQ(batch.source.sentences(), std::ssize(batch.pairs));
    ASSERT_EQ(batch.target.sentences(), std::ssize(batch.pairs));
    for (size_t i = 0; i < batch.pairs.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(corpus_.source(batch.pairs[i]), sentence(batch.source, i)));
      EXPECT_TRUE(std::ranges::equal(corpus_.target(batch.pairs[i]), sentence(batch.target, i)));
    }
  }

  ParallelCorpus corpus_;
};

}  // namespace dietmt::data
