// Batches of several corpora, with and without weights.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.h"
#include "tests/data/corpus/batches_fixture.h"

namespace dietmt::data {
namespace {

using ::testing::HasSubstr;

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

  // Adds to `counts` how often these batches contain each pair.
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
      // Every pair once before any is repeated.
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
  std::vector<std::vector<int>> seen;  // the half of the last corpus in each even epoch
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

}  // namespace
}  // namespace dietmt::data
