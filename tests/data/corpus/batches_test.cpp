#include "data/corpus/batches.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "common/error.h"
#include "tests/data/corpus/batches_fixture.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;

TEST(PackedTokensTest, AppendsSentences) {
  PackedTokens packed;
  EXPECT_EQ(packed.sentences(), 0);
  packed.append(std::vector<int32_t>{5, 6});
  packed.append({});
  packed.append(std::vector<int32_t>{7});
  EXPECT_THAT(packed.tokens, ElementsAre(5, 6, 7));
  EXPECT_THAT(packed.offsets, ElementsAre(0, 2, 2, 3));
  EXPECT_EQ(packed.sentences(), 3);
  EXPECT_EQ(packed.size(), 3);
}

TEST_F(BatchesTest, AnEpochHasEveryPairOnceAndTheCorpusTokens) {
  BatchIterator batches(corpus_, options());
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    const std::vector<ParallelBatch> all = rest_of_epoch(batches);
    EXPECT_EQ(batches.position(), (BatchPosition{epoch, std::ssize(all)}));
    expect_every_pair_once(all);
    for (const ParallelBatch& batch : all) expect_the_corpus_tokens(batch);
  }
}

TEST_F(BatchesTest, BatchesKeepTheirBudget) {
  for (const int64_t budget : {60, 500, 100'000}) {
    BatchIterator batches(corpus_, options(budget));
    const auto all = rest_of_epoch(batches);
    int64_t tokens = 0;
    for (const ParallelBatch& batch : all) {
      tokens += batch.target.size();
      if (batch.pairs.size() == 1) continue;
      EXPECT_LE(batch.target.size(), budget);
      EXPECT_LE(batch.source.size(), 2 * budget);
    }
    // Nor do they waste it: a batch and its neighbour would not fit in one.
    EXPECT_LE(std::ssize(all), 2 * tokens / budget + 1) << budget;
  }
}

TEST_F(BatchesTest, LongSourcesCloseABatchToo) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "tuba ";
  std::string sources, targets;
  for (int i = 0; i < 50; ++i) {
    sources += line + '\n';
    targets += "riko\n";
  }
  const ParallelCorpus corpus({{write("s", sources), write("t", targets)}}, tokenizer(),
                              tokenizer(), {1, 10'000, 0}, scratch() / "cache2", 1);
  const int64_t length = corpus.source_length(0);
  BatchIterator batches(corpus, options(2 * length));
  EXPECT_EQ(batches.next().source.sentences(), 4);
}

TEST_F(BatchesTest, APairLongerThanTheBudgetIsItsOwnBatch) {
  BatchIterator batches(corpus_, options(1));
  const auto all = rest_of_epoch(batches);
  EXPECT_EQ(std::ssize(all), corpus_.size());
  expect_every_pair_once(all);
}

TEST_F(BatchesTest, LengthsInABatchAreSimilar) {
  BatchIterator batches(corpus_, options());
  int64_t tokens = 0, padded = 0;
  for (const ParallelBatch& batch : rest_of_epoch(batches)) {
    int64_t longest = 0;
    for (const int64_t pair : batch.pairs) longest = std::max(longest, corpus_.target_length(pair));
    tokens += batch.target.size();
    padded += longest * std::ssize(batch.pairs);
  }
  EXPECT_GT(static_cast<double>(tokens) / static_cast<double>(padded), 0.9);
}

// Runs that were started with one corpus, or with concatenated files, continue unchanged: the
// definition of an epoch, for a corpus that fits in a window.
TEST_F(BatchesTest, AnEpochIsShuffledSortedCutAndShuffled) {
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    Random random(random_key(1, static_cast<uint64_t>(epoch)));
    std::vector<int64_t> pairs(600);
    std::iota(pairs.begin(), pairs.end(), 0);
    random.shuffle(pairs);
    std::ranges::stable_sort(pairs, {}, [&](int64_t pair) {
      return std::pair(corpus_.target_length(pair), corpus_.source_length(pair));
    });
    std::vector<std::vector<int64_t>> expected;
    int64_t sources = 501, targets = 501;
    for (const int64_t pair : pairs) {
      sources += corpus_.source_length(pair);
      targets += corpus_.target_length(pair);
      if (targets > 500 || sources > 1000) {
        expected.emplace_back();
        sources = corpus_.source_length(pair);
        targets = corpus_.target_length(pair);
      }
      expected.back().push_back(pair);
    }
    random.shuffle(expected);
    BatchIterator batches(corpus_, options(), {epoch, 0});
    EXPECT_EQ(pairs_of(rest_of_epoch(batches)), expected);
  }
}

TEST_F(BatchesTest, TheOrderIsAFunctionOfSeedAndEpoch) {
  BatchIterator first(corpus_, options()), same(corpus_, options()),
      other(corpus_, options(500, 2));
  const auto epoch_0 = pairs_of(rest_of_epoch(first));
  EXPECT_EQ(pairs_of(rest_of_epoch(same)), epoch_0);
  EXPECT_NE(pairs_of(rest_of_epoch(other)), epoch_0);
  const auto epoch_1 = pairs_of(rest_of_epoch(first));
  EXPECT_NE(epoch_1, epoch_0);
  EXPECT_EQ(pairs_of(rest_of_epoch(same)), epoch_1);
  BatchIterator from_1(corpus_, options(), {1, 0});
  EXPECT_EQ(pairs_of(rest_of_epoch(from_1)), epoch_1);
}

// A pair must not be batched with the same pairs in every epoch or with every seed, even if the
// whole corpus is sorted at once.
TEST_F(BatchesTest, PairsMeetOtherPairsInEachEpochAndWithEachSeed) {
  std::string text;
  for (int pair = 0; pair < 600; ++pair) {
    for (int word = 0; word <= pair / 120; ++word) text += "tuba ";
    text += '\n';
  }
  const ParallelCorpus corpus({{write("s", text), write("t", text)}}, tokenizer(), tokenizer(), {},
                              scratch() / "cache2", 1);
  using Mates = std::set<std::pair<int64_t, int64_t>>;
  const auto together = [&](uint64_t seed, int64_t epoch) {
    BatchIterator batches(corpus, options(100, seed), {epoch, 0});
    Mates mates;
    for (const ParallelBatch& batch : rest_of_epoch(batches)) {
      for (const int64_t a : batch.pairs)
        for (const int64_t b : batch.pairs)
          if (a < b) mates.emplace(a, b);
    }
    return mates;
  };
  const Mates first = together(1, 0);
  const auto met_again = [&](const Mates& later) {
    const auto again =
        std::ranges::count_if(first, [&](const auto& m) { return later.contains(m); });
    return static_cast<double>(again) / static_cast<double>(first.size());
  };
  ASSERT_GT(first.size(), 1000U);
  EXPECT_LT(met_again(together(1, 1)), 0.3);
  EXPECT_LT(met_again(together(2, 0)), 0.3);
}

TEST_F(BatchesTest, BatchesAreNotInOrderOfLength) {
  BatchIterator batches(corpus_, options());
  std::vector<double> lengths;
  for (const ParallelBatch& batch : rest_of_epoch(batches))
    lengths.push_back(static_cast<double>(batch.target.size()) /
                      static_cast<double>(batch.pairs.size()));
  ASSERT_GT(lengths.size(), 10U);
  EXPECT_FALSE(std::is_sorted(lengths.begin(), lengths.end()));
}

TEST_F(BatchesTest, ContinuesExactlyFromEveryPosition) {
  constexpr int kBatches = 200;
  BatchIterator whole(corpus_, options());
  std::vector<BatchPosition> positions = {whole.position()};
  std::vector<std::vector<int64_t>> expected;
  for (int i = 0; i < kBatches; ++i) {
    expected.push_back(whole.next().pairs);
    positions.push_back(whole.position());
  }
  ASSERT_GE(positions.back().epoch, 1);
  for (int i = 0; i + 3 < kBatches; ++i) {
    BatchIterator resumed(corpus_, options(), positions[static_cast<size_t>(i)]);
    EXPECT_EQ(resumed.position(), positions[static_cast<size_t>(i)]);
    for (int j = i; j < i + 3; ++j) {
      ASSERT_EQ(resumed.next().pairs, expected[static_cast<size_t>(j)]) << "from " << i;
      ASSERT_EQ(resumed.position(), positions[static_cast<size_t>(j) + 1]);
    }
  }
}

TEST_F(BatchesTest, BatchesInEpochIsKnownBeforeTheFirst) {
  BatchIterator batches(corpus_, options());
  const int64_t expected = batches.batches_in_epoch();
  EXPECT_EQ(batches.position(), BatchPosition{});
  EXPECT_EQ(std::ssize(rest_of_epoch(batches)), expected);
}

TEST_F(BatchesTest, PositionsOutsideAnEpochAreErrors) {
  const int64_t batches = BatchIterator(corpus_, options()).batches_in_epoch();
  for (const BatchPosition position :
       {BatchPosition{0, batches + 1}, BatchPosition{0, -1}, BatchPosition{-1, 0}}) {
    EXPECT_THROW(BatchIterator(corpus_, options(), position), Error);
  }
  EXPECT_THROW(BatchIterator(corpus_, options(0)), ConfigError);
}

TEST_F(BatchesTest, EveryBatchIsThatOfOneProcess) {
  constexpr int64_t kPerUpdate = 5;
  constexpr int64_t kUpdates = 30;
  BatchIterator whole(corpus_, options());
  std::vector<std::vector<int64_t>> expected;
  std::vector<BatchPosition> positions = {whole.position()};
  for (int64_t i = 0; i < kPerUpdate * kUpdates; ++i) {
    expected.push_back(whole.next().pairs);
    positions.push_back(whole.position());
  }
  ASSERT_GE(positions.back().epoch, 2) << "the test means to cross epochs";

  for (int64_t processes = 1; processes <= kPerUpdate; ++processes) {
    for (const int64_t first_update : {0, 7}) {  // a start and a resumption
      std::vector<std::vector<int64_t>> found(expected.size());
      for (int64_t rank = 0; rank < processes; ++rank) {
        BatchOptions shared = options();
        shared.share = {rank, processes, kPerUpdate};
        const auto begin = static_cast<size_t>(first_update * kPerUpdate);
        BatchIterator batches(corpus_, shared, positions[begin]);
        for (size_t i = begin; i < expected.size(); ++i) {
          if (shared.share.owns(static_cast<int64_t>(i))) {
            EXPECT_TRUE(found[i].empty()) << "batch " << i << " has two owners";
            found[i] = batches.next().pairs;
          } else {
            batches.skip();
          }
          EXPECT_EQ(batches.position(), positions[i + 1]);
        }
      }
      for (size_t i = static_cast<size_t>(first_update * kPerUpdate); i < expected.size(); ++i)
        EXPECT_EQ(found[i], expected[i]) << processes << " processes, batch " << i;
    }
  }
}

TEST_F(BatchesTest, ABatchOfAnotherProcessCannotBeTaken) {
  BatchOptions shared = options();
  shared.share = {1, 2, 4};
  BatchIterator batches(corpus_, shared);
  EXPECT_THROW(batches.next(), Error);
}

TEST_F(BatchesTest, AllBatchesAreSortedAndComplete) {
  const std::vector<ParallelBatch> all = all_batches(corpus_, 500);
  expect_every_pair_once(all);
  int64_t last = 0;
  for (const ParallelBatch& batch : all) {
    expect_the_corpus_tokens(batch);
    EXPECT_LE(batch.target.size(), 500);
    for (const int64_t pair : batch.pairs) {
      EXPECT_GE(corpus_.target_length(pair), last);
      last = corpus_.target_length(pair);
    }
  }
  EXPECT_EQ(pairs_of(all_batches(corpus_, 500)), pairs_of(all));
}

}  // namespace
}  // namespace dietmt::data
