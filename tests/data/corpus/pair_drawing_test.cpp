#include "data/corpus/pair_drawing.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/data/corpus/batches_fixture.h"

namespace dietmt::data {
namespace {

class PairDrawingTest : public BatchesTest {
 protected:
  PairDrawingTest() {
    sampled_ = options();
    sampled_.drawing = {bpe_dropout(tokenizer(), 0.3), bpe_dropout(tokenizer(), 0.3)};
  }

  // The sentences of a side in the order of pairs.
  static std::vector<std::vector<int32_t>> targets(const std::vector<ParallelBatch>& batches) {
    std::map<int64_t, std::vector<int32_t>> found;
    for (const ParallelBatch& batch : batches)
      for (size_t i = 0; i < batch.pairs.size(); ++i)
        found[batch.pairs[i]] = sentence(batch.target, i);
    std::vector<std::vector<int32_t>> all;
    for (const auto& [pair, ids] : found) all.push_back(ids);
    return all;
  }

  static void expect_equal(const ParallelBatch& batch, const ParallelBatch& other) {
    EXPECT_EQ(batch.pairs, other.pairs);
    EXPECT_EQ(batch.source, other.source);
    EXPECT_EQ(batch.target, other.target);
  }

  BatchOptions sampled_;
};

TEST_F(PairDrawingTest, EachEpochSpellsEachTextOnceAndAnew) {
  BatchIterator batches(corpus_, sampled_);
  const auto first = rest_of_epoch(batches), second = rest_of_epoch(batches);
  for (const auto& epoch : {first, second}) {
    expect_every_pair_once(epoch);
    for (const ParallelBatch& batch : epoch) {
      for (size_t i = 0; i < batch.pairs.size(); ++i) {
        const auto pair = static_cast<size_t>(batch.pairs[i]);
        EXPECT_EQ(tokenizer().decode(sentence(batch.source, i)), text_.source[pair]);
        EXPECT_EQ(tokenizer().decode(sentence(batch.target, i)), text_.target[pair]);
      }
    }
  }
  EXPECT_NE(targets(first), targets(second));
}

TEST_F(PairDrawingTest, AnyPositionGoesOnWithTheSamePieces) {
  BatchIterator whole(corpus_, sampled_);
  std::vector<ParallelBatch> all = rest_of_epoch(whole);
  const auto first_epoch = std::ssize(all);
  for (const ParallelBatch& batch : rest_of_epoch(whole)) all.push_back(batch);
  for (const int64_t batch : {int64_t{1}, first_epoch - 1, first_epoch, first_epoch + 2}) {
    const int64_t epoch = batch / first_epoch;
    BatchIterator resumed(corpus_, sampled_, {epoch, batch - epoch * first_epoch});
    for (auto i = static_cast<size_t>(batch); i < all.size(); ++i)
      expect_equal(resumed.next(), all[i]);
  }
}

TEST_F(PairDrawingTest, ProcessesDrawWhatOneWouldDraw) {
  BatchIterator one(corpus_, sampled_);
  BatchOptions second = sampled_;
  second.share = {1, 2, 2};
  BatchIterator shared(corpus_, second);
  for (int update = 0; update < 3; ++update) {
    one.next();
    shared.skip();
    expect_equal(shared.next(), one.next());
  }
}

TEST_F(PairDrawingTest, TwoUsesOfAPairInAnEpochDiffer) {
  const ParallelCorpus two(
      {{source_file(), target_file()},
       {write("s", text_.source[5] + '\n'), write("t", text_.target[5] + '\n')}},
      tokenizer(), tokenizer(), {}, scratch() / "cache2", 1);
  sampled_.weights = {1, 1};
  BatchIterator batches(two, sampled_);
  std::set<std::vector<int32_t>> drawn;
  for (const ParallelBatch& batch : rest_of_epoch(batches))
    for (size_t i = 0; i < batch.pairs.size(); ++i)
      if (batch.pairs[i] == two.size() - 1) drawn.insert(sentence(batch.source, i));
  EXPECT_GT(drawn.size(), 50U);
}

TEST_F(PairDrawingTest, BatchesGrowAboutToTheirBudget) {
  sampled_.drawing.source = nullptr;
  const TokenGrowth growth = token_growth(corpus_, sampled_.drawing, 1);
  EXPECT_EQ(growth.source, 1.0);
  EXPECT_GT(growth.target, 1.2);
  BatchIterator batches(corpus_, sampled_);
  int64_t tokens = 0, count = 0;
  for (const ParallelBatch& batch : rest_of_epoch(batches)) {
    EXPECT_LE(batch.target.size(), 600);  // 500 originally
    EXPECT_LE(batch.source.size(), 1000);
    tokens += batch.target.size();
    ++count;
  }
  EXPECT_GT(tokens, 400 * count);
}

TEST_F(PairDrawingTest, ADrawThatIsTooLongIsNotUsed) {
  sampled_.drawing.longest = 1;
  BatchIterator batches(corpus_, sampled_);
  for (const ParallelBatch& batch : rest_of_epoch(batches)) expect_the_corpus_tokens(batch);
}

}  // namespace
}  // namespace dietmt::data
