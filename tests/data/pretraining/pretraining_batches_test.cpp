#include "data/pretraining/pretraining_batches.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "common/error.h"
#include "tests/data/pretraining/numbered_corpus.h"

namespace dietmt::data {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Batches = std::vector<PretrainingBatch>;

constexpr ExampleMode kAllModes[] = {ExampleMode::kFullSentences, ExampleMode::kDocument,
                                     ExampleMode::kSentencePairs};

PretrainingOptions options(ExampleMode mode, uint64_t seed = 1) {
  PretrainingOptions options;
  options.examples.mode = mode;
  options.examples.length = 48;
  options.batch_tokens = 400;
  options.seed = seed;
  return options;
}

// The batches up to the end of the iterator's current epoch.
Batches rest_of_epoch(PretrainingIterator& batches) {
  Batches all;
  do {
    all.push_back(batches.next());
  } while (batches.position().batch < batches.batches_in_epoch());
  return all;
}

// The tokens before masking.
std::vector<int32_t> restored(const PretrainingBatch& batch) {
  std::vector<int32_t> tokens = batch.tokens.tokens;
  for (size_t i = 0; i < batch.masked_rows.size(); ++i)
    tokens[static_cast<size_t>(batch.masked_rows[i])] = batch.masked_ids[i];
  return tokens;
}

class PretrainingBatchesTest : public NumberedCorpusTest {
 protected:
  // The examples before masking, in the order of the batches.
  static std::vector<std::vector<int32_t>> examples_of(const Batches& batches) {
    std::vector<std::vector<int32_t>> examples;
    for (const PretrainingBatch& batch : batches) {
      const std::vector<int32_t> tokens = restored(batch);
      for (size_t i = 0; i + 1 < batch.tokens.offsets.size(); ++i) {
        examples.emplace_back(tokens.begin() + batch.tokens.offsets[i],
                              tokens.begin() + batch.tokens.offsets[i + 1]);
      }
    }
    return examples;
  }

  // The masked words; the corpus contains each once, so they identify places.
  static std::vector<int32_t> masked_words(const Batches& batches) {
    std::vector<int32_t> words;
    for (const PretrainingBatch& batch : batches)
      words.insert(words.end(), batch.masked_ids.begin(), batch.masked_ids.end());
    std::ranges::sort(words);
    return words;
  }

  void expect_every_word_once(const Batches& batches) const {
    std::vector<int32_t> all;
    for (const PretrainingBatch& batch : batches) {
      for (const int32_t id : restored(batch)) {
        if (is_word(id)) all.push_back(id);
      }
    }
    std::ranges::sort(all);
    std::vector<int32_t> expected(kWords);
    std::iota(expected.begin(), expected.end(), kFirstWord);
    EXPECT_EQ(all, expected);
  }

  void expect_sound(const PretrainingBatch& batch) const {
    EXPECT_EQ(std::ssize(batch.segments), batch.tokens.size());
    EXPECT_EQ(batch.masked_rows.size(), batch.masked_ids.size());
    EXPECT_TRUE(std::ranges::is_sorted(batch.masked_rows, std::less_equal()));
    for (const int32_t id : batch.masked_ids) EXPECT_TRUE(is_word(id));
    std::vector<int64_t> masked_in(static_cast<size_t>(batch.tokens.sentences()));
    for (const int64_t row : batch.masked_rows) {
      const auto behind =
          std::upper_bound(batch.tokens.offsets.begin(), batch.tokens.offsets.end(), row);
      ++masked_in[static_cast<size_t>(behind - batch.tokens.offsets.begin() - 1)];
    }
    EXPECT_THAT(masked_in, Each(::testing::Ge(1)));
  }

  // Whether the second text of each pair is from another document, by the words before masking.
  std::vector<int32_t> is_elsewhere(const PretrainingBatch& batch) const {
    std::vector<int32_t> elsewhere;
    for (const std::vector<int32_t>& example : examples_of({batch})) {
      const int32_t first = example[1], last = example[example.size() - 2];
      elsewhere.push_back(document_of(first) != document_of(last));
    }
    return elsewhere;
  }

  const std::span<const TextCorpus> texts_{&corpus_, 1};
};

TEST_F(PretrainingBatchesTest, AnEpochHasEveryTokenOnce) {
  for (const ExampleMode mode : {ExampleMode::kFullSentences, ExampleMode::kDocument}) {
    PretrainingIterator batches(texts_, options(mode));
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      const Batches all = rest_of_epoch(batches);
      EXPECT_EQ(batches.position(), (BatchPosition{epoch, std::ssize(all)}));
      expect_every_word_once(all);
      for (const PretrainingBatch& batch : all) {
        expect_sound(batch);
        EXPECT_THAT(batch.segments, Each(0));
        EXPECT_THAT(batch.next_sentence, IsEmpty());
      }
    }
  }
}

TEST_F(PretrainingBatchesTest, PairsHaveSegmentsAndLabels) {
  PretrainingIterator batches(texts_, options(ExampleMode::kSentencePairs));
  for (const PretrainingBatch& batch : rest_of_epoch(batches)) {
    expect_sound(batch);
    EXPECT_EQ(batch.next_sentence, is_elsewhere(batch));
    for (size_t i = 0; i + 1 < batch.tokens.offsets.size(); ++i) {
      EXPECT_EQ(batch.segments[static_cast<size_t>(batch.tokens.offsets[i])], 0);
      EXPECT_EQ(batch.segments[static_cast<size_t>(batch.tokens.offsets[i + 1] - 1)], 1);
    }
  }
}

TEST_F(PretrainingBatchesTest, BatchesKeepTheirBudget) {
  for (const ExampleMode mode : kAllModes) {
    for (const int64_t budget : {10, 100, 400, 1'000'000}) {
      PretrainingOptions wanted = options(mode);
      wanted.batch_tokens = budget;
      PretrainingIterator batches(texts_, wanted);
      int64_t last = budget;
      for (const PretrainingBatch& batch : rest_of_epoch(batches)) {
        EXPECT_TRUE(batch.tokens.size() <= budget || batch.tokens.sentences() == 1);
        EXPECT_GT(last + batch.tokens.size(), budget) << "two batches would fit into one";
        last = batch.tokens.size();
      }
    }
  }
}

TEST_F(PretrainingBatchesTest, ExamplesAreShuffled) {
  PretrainingIterator batches(texts_, options(ExampleMode::kDocument));
  const auto first = examples_of(rest_of_epoch(batches));
  const auto second = examples_of(rest_of_epoch(batches));
  EXPECT_NE(first, second);
  EXPECT_TRUE(std::ranges::is_permutation(first, second));
  EXPECT_FALSE(std::ranges::is_sorted(first));
  EXPECT_FALSE(std::ranges::is_sorted(first, {}, &std::vector<int32_t>::size));
}

TEST_F(PretrainingBatchesTest, MasksAreDrawnAnewEachEpoch) {
  for (const bool whole_words : {false, true}) {
    PretrainingOptions wanted = options(ExampleMode::kFullSentences);
    wanted.masking.whole_words = whole_words;
    PretrainingIterator batches(texts_, wanted);
    const auto first = masked_words(rest_of_epoch(batches));
    const auto second = masked_words(rest_of_epoch(batches));
    std::vector<int32_t> both;
    std::ranges::set_intersection(first, second, std::back_inserter(both));
    // By chance, 15 % of the first epoch's are masked again.
    EXPECT_NEAR(static_cast<double>(first.size()) / kWords, 0.15, 0.02);
    EXPECT_NEAR(static_cast<double>(both.size()) / static_cast<double>(first.size()), 0.15, 0.06);
  }
}

TEST_F(PretrainingBatchesTest, AnEpochIsAFunctionOfSeedAndEpoch) {
  for (const ExampleMode mode : kAllModes) {
    PretrainingIterator first(texts_, options(mode)), same(texts_, options(mode)),
        other(texts_, options(mode, 2)), from_1(texts_, options(mode), {1, 0});
    const Batches epoch_0 = rest_of_epoch(first);
    EXPECT_EQ(rest_of_epoch(same), epoch_0);
    EXPECT_NE(rest_of_epoch(other), epoch_0);
    const Batches epoch_1 = rest_of_epoch(first);
    EXPECT_NE(epoch_1, epoch_0);
    EXPECT_EQ(rest_of_epoch(from_1), epoch_1);
  }
}

TEST_F(PretrainingBatchesTest, PairsAreDrawnAnewEachEpoch) {
  PretrainingIterator batches(texts_, options(ExampleMode::kSentencePairs));
  auto first = examples_of(rest_of_epoch(batches));
  auto second = examples_of(rest_of_epoch(batches));
  std::ranges::sort(first);
  std::ranges::sort(second);
  EXPECT_NE(first, second);
}

TEST_F(PretrainingBatchesTest, ContinuesExactlyFromEveryPosition) {
  for (const ExampleMode mode : kAllModes) {
    PretrainingIterator whole(texts_, options(mode));
    std::vector<BatchPosition> positions = {whole.position()};
    Batches expected;
    while (whole.position().epoch < 2) {
      expected.push_back(whole.next());
      positions.push_back(whole.position());
    }
    for (size_t i = 0; i + 2 < expected.size(); ++i) {
      PretrainingIterator resumed(texts_, options(mode), positions[i]);
      EXPECT_EQ(resumed.position(), positions[i]);
      for (size_t j = i; j < i + 2; ++j) {
        ASSERT_EQ(resumed.next(), expected[j]) << "from " << i;
        ASSERT_EQ(resumed.position(), positions[j + 1]);
      }
    }
  }
}

TEST_F(PretrainingBatchesTest, ValidationIsFixedAndComplete) {
  for (const ExampleMode mode : kAllModes) {
    const Batches batches = validation_batches(corpus_, options(mode));
    EXPECT_EQ(validation_batches(corpus_, options(mode)), batches);
    EXPECT_NE(validation_batches(corpus_, options(mode, 2)), batches);
    for (const PretrainingBatch& batch : batches) expect_sound(batch);
    if (mode == ExampleMode::kSentencePairs) continue;
    expect_every_word_once(batches);
    EXPECT_TRUE(std::ranges::is_sorted(examples_of(batches))) << "the order of the corpus";
    PretrainingIterator training(texts_, options(mode));
    EXPECT_NE(masked_words(rest_of_epoch(training)), masked_words(batches));
  }
}

TEST_F(PretrainingBatchesTest, AnotherLengthIsAnotherPhase) {
  PretrainingOptions longer = options(ExampleMode::kFullSentences);
  longer.examples.length = 200;
  PretrainingIterator batches(texts_, longer);
  const Batches all = rest_of_epoch(batches);
  expect_every_word_once(all);
  for (const std::vector<int32_t>& example : examples_of(all)) EXPECT_LE(example.size(), 200U);
  EXPECT_THAT(all.front().tokens.sentences(), ::testing::Lt(4));
}

TEST_F(PretrainingBatchesTest, OneWordIsAnEpoch) {
  const TextCorpus corpus = corpus_of("w7");
  PretrainingOptions wanted = options(ExampleMode::kDocument);
  wanted.masking.mask_share = 1;
  wanted.masking.random_share = 0;
  PretrainingIterator batches(std::span(&corpus, 1), wanted);
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    const PretrainingBatch batch = batches.next();
    EXPECT_EQ(batches.position(), (BatchPosition{epoch, 1}));
    EXPECT_THAT(batch.tokens.tokens,
                ElementsAre(special_.classify, special_.mask, special_.separate));
    EXPECT_THAT(batch.tokens.offsets, ElementsAre(0, 3));
    EXPECT_THAT(batch.masked_rows, ElementsAre(1));
    EXPECT_THAT(batch.masked_ids, ElementsAre(kFirstWord + 7));
  }
}

TEST_F(PretrainingBatchesTest, RowsWithoutWordsHaveNoMask) {
  const TextCorpus corpus = corpus_of("who is who\n\nw1\n");
  const Batches batches = validation_batches(corpus, options(ExampleMode::kDocument));
  ASSERT_THAT(batches, SizeIs(1));
  EXPECT_THAT(batches[0].tokens.offsets, ElementsAre(0, 5, 8));
  EXPECT_THAT(batches[0].masked_rows, ElementsAre(6));
}

TEST_F(PretrainingBatchesTest, MistakesAreErrors) {
  const int64_t batches =
      PretrainingIterator(texts_, options(ExampleMode::kDocument)).batches_in_epoch();
  for (const BatchPosition position :
       {BatchPosition{0, batches + 1}, BatchPosition{0, -1}, BatchPosition{-1, 0}}) {
    EXPECT_THROW(PretrainingIterator(texts_, options(ExampleMode::kDocument), position), Error);
  }
  const TextCorpus one_document = corpus_of("w1\nw2\n");
  EXPECT_THROW(
      PretrainingIterator(std::span(&one_document, 1), options(ExampleMode::kSentencePairs)),
      DataError);
  PretrainingOptions wrong = options(ExampleMode::kDocument);
  wrong.batch_tokens = 0;
  wrong.masking.rate = 0;
  wrong.examples.length = 1;
  EXPECT_THAT(wrong.problems(), SizeIs(3));
  EXPECT_THROW(PretrainingIterator(texts_, wrong), ConfigError);
  EXPECT_THROW(validation_batches(corpus_, wrong), ConfigError);
}

}  // namespace
}  // namespace dietmt::data
