#include "data/corpus/stages.h"

#include <gmock/gmock.h>

#include <fstream>
#include <optional>

#include "common/error.h"
#include "common/temporary_directory.h"
#include "tests/data/corpus/batches_fixture.h"

namespace dietmt::data {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StagesFileTest : public ::testing::Test {
 protected:
  std::vector<Stage> read(const std::string& content, int64_t corpora = 2) const {
    std::ofstream(file_) << content;
    return read_stages(file_, corpora);
  }

  std::string problem_of(const std::string& content) const {
    try {
      read(content);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  }

  TemporaryDirectory directory_;
  const std::string file_ = directory_.path() + "/stages";
};

TEST_F(StagesFileTest, ReadsLengthsAndWeights) {
  const auto stages =
      read("# clean text first\n\n1 epoch: 1 0\r\n 20  updates : 3 .5 # both\nrest: 1 1");
  ASSERT_EQ(stages.size(), 3);
  EXPECT_EQ(stages[0].epochs, 1);
  EXPECT_EQ(stages[1].updates, 20);
  EXPECT_THAT(stages[1].weights, ElementsAre(3.0, 0.5));
  EXPECT_EQ(stages_text(stages), "1 epochs: 1 0; 20 updates: 3 0.5; rest: 1 1");
}

TEST_F(StagesFileTest, NamesTheWrongLine) {
  EXPECT_THAT(problem_of("1 epoch: 1 0\n"),
              HasSubstr("the last stage, 'rest: WEIGHTS', is missing"));
  EXPECT_THAT(problem_of(""), HasSubstr("is missing"));
  EXPECT_THAT(problem_of("rest: 1 0\nrest: 1 1\n"), HasSubstr("stages:2: this stage comes after"));
  EXPECT_THAT(problem_of("rest: 1\n"), HasSubstr("stages:1: 1 weights for 2 corpora"));
  EXPECT_THAT(problem_of("rest: 1 x\n"), HasSubstr("stages:1: 'x' is no weight of a corpus"));
  EXPECT_THAT(problem_of("rest: 0 0\n"), HasSubstr("one of the weights must be positive"));
  EXPECT_THAT(problem_of("rest: 1 -1\n"), HasSubstr("must be a number that is not negative"));
  for (const char* const line :
       {"rest", "rest:", "0 epochs: 1 1", "1 day: 1 1", "epochs: 1 1", "-1 updates: 1 1",
        "1.5 epochs: 1 1", "2: 1 1", "9999999999 updates: 1 1"})
    EXPECT_THAT(problem_of(line), HasSubstr("stages:1: a line is 'N epochs: WEIGHTS'")) << line;
}

// Two corpora, of 200 and 400 pairs.
class StagesTest : public BatchesTest {
 protected:
  StagesTest()
      : both_({part(0, 200), part(200, 600)}, tokenizer(), tokenizer(), {}, scratch() / "cache",
              1) {}

  CorpusFiles part(size_t begin, size_t end) const {
    const auto lines = [&](const std::vector<std::string>& all) {
      return joined_lines(
          {all.begin() + static_cast<ptrdiff_t>(begin), all.begin() + static_cast<ptrdiff_t>(end)});
    };
    const std::string name = "stage" + std::to_string(begin);
    return {write("source" + name, lines(text_.source)),
            write("target" + name, lines(text_.target))};
  }

  static BatchOptions staged(std::vector<Stage> stages, int64_t per_update = 1) {
    BatchOptions made = options(200);
    made.stages = std::move(stages);
    made.share.per_update = per_update;
    return made;
  }

  // How many pairs of the first corpus an epoch has, and how many there are in all.
  static std::pair<int64_t, int64_t> counts(const std::vector<ParallelBatch>& batches) {
    int64_t first = 0, all = 0;
    for (const ParallelBatch& batch : batches) {
      all += std::ssize(batch.pairs);
      for (const int64_t pair : batch.pairs) first += pair < 200 ? 1 : 0;
    }
    return {first, all};
  }

  ParallelCorpus both_;
};

TEST_F(StagesTest, EachHasItsMixture) {
  BatchIterator batches(both_, staged({{.epochs = 2, .weights = {1, 0}},
                                       {.epochs = 1, .weights = {1, 3}},
                                       {.weights = {0, 1}}}));
  std::vector<std::pair<int64_t, int64_t>> found;
  for (int epoch = 0; epoch < 5; ++epoch) found.push_back(counts(rest_of_epoch(batches)));
  EXPECT_THAT(found, ElementsAre(std::pair(600, 600), std::pair(600, 600), std::pair(150, 600),
                                 std::pair(0, 600), std::pair(0, 600)));
}

TEST_F(StagesTest, PairsOfACorpusStayEquallyOften) {
  BatchIterator batches(both_, staged({{.epochs = 1, .weights = {1, 3}}, {.weights = {1, 1}}}));
  std::vector<int> uses(600);
  for (int epoch = 0; epoch < 4; ++epoch)
    for (const ParallelBatch& batch : rest_of_epoch(batches))
      for (const int64_t pair : batch.pairs) ++uses[static_cast<size_t>(pair)];
  // 150 and three times 300 pairs of the first corpus, 450 and 900 of the second.
  EXPECT_THAT(std::vector(uses.begin(), uses.begin() + 200), Each(::testing::AnyOf(5, 6)));
  EXPECT_THAT(std::vector(uses.begin() + 200, uses.end()), Each(::testing::AnyOf(3, 4)));
}

TEST_F(StagesTest, AStageMayEndAfterUpdates) {
  constexpr int64_t kUpdates = 70, kPerUpdate = 2;
  BatchIterator batches(
      both_, staged({{.updates = kUpdates, .weights = {1, 0}}, {.weights = {0, 1}}}, kPerUpdate));
  for (int64_t i = 0; i < kUpdates * kPerUpdate; ++i)
    EXPECT_THAT(batches.next().pairs, Each(::testing::Lt(200))) << i;
  EXPECT_EQ(batches.position().batch, batches.batches_in_epoch());
  EXPECT_GT(batches.position().epoch, 0) << "the stage should be longer than an epoch";
  for (int i = 0; i < 20; ++i) EXPECT_THAT(batches.next().pairs, Each(::testing::Ge(200))) << i;
}

TEST_F(StagesTest, GoOnFromEachPosition) {
  const BatchOptions made = staged({{.updates = 50, .weights = {1, 0}},
                                    {.epochs = 1, .weights = {1, 1}},
                                    {.updates = 7, .weights = {1, 2}},
                                    {.weights = {0, 1}}});
  BatchIterator whole(both_, made);
  std::optional<BatchIterator> part(std::in_place, both_, made);
  for (int i = 0; i < 200; ++i) {
    if (i % 13 == 0) {
      const BatchPosition at = part->position();
      part.emplace(both_, made, at);
    }
    ASSERT_EQ(part->next().pairs, whole.next().pairs) << i;
  }
}

TEST_F(StagesTest, OneStageIsTheWeightsOfARun) {
  BatchOptions weights = options(200);
  weights.weights = {1, 2};
  BatchIterator staged_batches(both_, staged({{.weights = {1, 2}}})), plain(both_, weights);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(staged_batches.next().pairs, plain.next().pairs);
}

}  // namespace
}  // namespace dietmt::data
