#include "data/corpus/batches.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BatchesTest : public ToyTextTest {
 protected:
  BatchesTest()
      : corpus_({{source_file(), target_file()}}, tokenizer(), tokenizer(), {}, scratch() / "cache",
                1) {}

  static BatchOptions options(int64_t tokens = 500, uint64_t seed = 1) { return {tokens, seed}; }

  // The batches up to the end of the iterator's present epoch.
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
    // Neither do they waste it: a batch and its neighbour would not fit into one.
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

TEST_F(BatchesTest, APairLongerThanTheBudgetIsABatchAlone) {
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

// Trainings that were begun with one corpus, or with files that were joined, go on as they began:
// the definition of an epoch, for a corpus that is no larger than a window.
TEST_F(BatchesTest, AnEpochIsShuffledSortedCutAndShuffled) {
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    Random random(random_key(1, static_cast<uint64_t>(epoch)));
    std::vector<int64_t> pairs(600);
    std::iota(pairs.begin(), pairs.end(), 0);
    random.shuffle(pairs);
    std::ranges::sort(pairs, {}, [&](int64_t pair) {
      return std::tuple(corpus_.target_length(pair), corpus_.source_length(pair), pair);
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

// Three corpora of 100, 200 and 300 pairs.
class SeveralCorporaTest : public BatchesTest {
 protected:
  SeveralCorporaTest()
      : several_({part(0, 100), part(100, 300), part(300, 600)}, tokenizer(), tokenizer(), {},
                 scratch() / "cache", 1) {}

  CorpusFiles part(size_t begin, size_t end) const {
    const auto lines = [&](const std::vector<std::string>& all) {
      return joined_lines(
          {all.begin() + static_cast<ptrdiff_t>(begin), all.begin() + static_cast<ptrdiff_t>(end)});
    };
    const std::string name = std::to_string(begin);
    return {write("source" + name, lines(text_.source)),
            write("target" + name, lines(text_.target))};
  }

  static BatchOptions weighted(std::vector<double> weights) {
    BatchOptions result = options();
    result.weights = std::move(weights);
    return result;
  }

  // How often each pair is given by these batches is added to `counts`.
  static void count(const std::vector<ParallelBatch>& batches, std::vector<int>& counts) {
    for (const ParallelBatch& batch : batches)
      for (const int64_t pair : batch.pairs) ++counts[static_cast<size_t>(pair)];
  }

  std::string problem_of(std::vector<double> weights) const {
    try {
      const BatchIterator batches(several_, weighted(std::move(weights)));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  }

  ParallelCorpus several_;
};

TEST_F(SeveralCorporaTest, WithoutWeightsTheyAreOneCorpus) {
  BatchIterator one(corpus_, options()), joined(several_, options());
  for (int i = 0; i < 100; ++i) {
    const ParallelBatch expected = one.next(), found = joined.next();
    ASSERT_EQ(found.pairs, expected.pairs);
    ASSERT_EQ(found.source, expected.source);
    ASSERT_EQ(found.target, expected.target);
  }
}

TEST_F(SeveralCorporaTest, OneCorpusHasNothingToWeigh) {
  BatchIterator plain(corpus_, options()), alone(corpus_, weighted({0.3}));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(alone.next().pairs, plain.next().pairs);
}

TEST_F(SeveralCorporaTest, WeightsAreSharesOfTheDraws) {
  BatchIterator batches(several_, weighted({3, 2, 1}));
  std::vector<int> counts(600);
  for (int epoch = 1; epoch <= 7; ++epoch) {
    const std::vector<ParallelBatch> all = rest_of_epoch(batches);
    for (const ParallelBatch& batch : all) expect_the_corpus_tokens(batch);
    count(all, counts);
    int pair = 0;
    for (const auto& [size, draws] :
         {std::pair(100, 300), std::pair(200, 200), std::pair(300, 100)}) {
      const std::span part =
          std::span(counts).subspan(static_cast<size_t>(pair), static_cast<size_t>(size));
      EXPECT_EQ(std::accumulate(part.begin(), part.end(), 0), epoch * draws);
      // Every pair once before one is given again.
      EXPECT_EQ(std::ranges::min(part), epoch * draws / size);
      EXPECT_EQ(std::ranges::max(part), (epoch * draws + size - 1) / size);
      pair += size;
    }
  }
}

TEST_F(SeveralCorporaTest, AWeightOfZeroLeavesACorpusOut) {
  BatchIterator batches(several_, weighted({1, 0, 1}));
  std::vector<int> counts(600);
  count(rest_of_epoch(batches), counts);
  EXPECT_EQ(std::accumulate(counts.begin() + 100, counts.begin() + 300, 0), 0);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 600);
}

TEST_F(SeveralCorporaTest, PassesHaveOrdersOfTheirOwn) {
  std::vector<std::vector<int>> seen;  // which half of the last corpus an even epoch gives
  BatchIterator batches(several_, weighted({1, 2, 1}));
  for (int epoch = 0; epoch < 4; ++epoch) {
    std::vector<int> counts(600);
    count(rest_of_epoch(batches), counts);
    if (epoch % 2 == 0) seen.push_back({counts.begin() + 300, counts.end()});
  }
  EXPECT_NE(seen[0], seen[1]);
}

TEST_F(SeveralCorporaTest, WeightedBatchesContinueExactlyFromEveryPosition) {
  const BatchOptions options = weighted({5, 1, 1});
  BatchIterator whole(several_, options);
  const auto per_epoch = whole.batches_in_epoch();
  std::vector<BatchPosition> positions = {whole.position()};
  std::vector<std::vector<int64_t>> expected;
  for (int64_t i = 0; i < 3 * per_epoch; ++i) {
    expected.push_back(whole.next().pairs);
    positions.push_back(whole.position());
  }
  ASSERT_GE(positions.back().epoch, 2);
  for (size_t i = 0; i + 2 < expected.size(); ++i) {
    BatchIterator resumed(several_, options, positions[i]);
    for (size_t j = i; j < i + 2; ++j) ASSERT_EQ(resumed.next().pairs, expected[j]) << "from " << i;
  }
}

TEST_F(SeveralCorporaTest, WrongWeightsAreErrors) {
  EXPECT_EQ(problem_of({1, 1, 1}), "none");
  EXPECT_THAT(problem_of({1, 1}), HasSubstr("2 weights for 3 corpora"));
  EXPECT_THAT(problem_of({1, -1, 1}), HasSubstr("the weight of corpus 2"));
  EXPECT_THAT(problem_of({1, 1, std::nan("")}), HasSubstr("the weight of corpus 3"));
  EXPECT_THAT(problem_of({0, 0, 0}), HasSubstr("must be positive"));
  const ParallelCorpus with_empty({part(0, 600), {write("s", ""), write("t", "")}}, tokenizer(),
                                  tokenizer(), {}, scratch() / "cache", 1);
  EXPECT_THROW(BatchIterator(with_empty, weighted({1, 1})), ConfigError);
  EXPECT_NO_THROW(BatchIterator(with_empty, weighted({1, 0})));
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
