#include "bert/prediction/example_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "tests/bert/finetuning/toy_task.h"

namespace dietmt::bert {
namespace {

using data::Example;
using ::testing::ElementsAre;

class EncodedInputsTest : public ToyTaskTest {
 protected:
  std::vector<int32_t> words_of(const EncodedInputs& inputs, int64_t i) const {
    const std::span<const int32_t> ids = inputs.input(i);
    return {ids.begin(), ids.end()};
  }
};

// red 5, blue 6, cat 7, dog 8, house 9
TEST_F(EncodedInputsTest, SingleTextsAndPairsHaveTheirSpecialPieces) {
  const std::vector<Example> examples = {{.first = "red cat", .second = "dog"}, {.first = "blue"}};
  const EncodedInputs single = encode_examples(examples, tokenizer(), {10, false});
  EXPECT_THAT(words_of(single, 0), ElementsAre(2, 5, 7, 3));
  EXPECT_THAT(words_of(single, 1), ElementsAre(2, 6, 3));
  EXPECT_THAT(single.second_begins, ElementsAre(4, 3));
  const EncodedInputs pairs = encode_examples(examples, tokenizer(), {10, true});
  EXPECT_THAT(words_of(pairs, 0), ElementsAre(2, 5, 7, 3, 8, 3));
  EXPECT_THAT(words_of(pairs, 1), ElementsAre(2, 6, 3, 3));
  EXPECT_THAT(pairs.second_begins, ElementsAre(4, 3));
  EXPECT_EQ(pairs.cut, 0);
}

TEST_F(EncodedInputsTest, TheLongerTextIsCutFirst) {
  const std::vector<Example> examples = {{.first = "red blue cat dog house", .second = "dog red"},
                                         {.first = "red", .second = "blue cat dog"},
                                         {.first = "red blue cat", .second = "dog house red"},
                                         {.first = "red", .second = "blue"}};
  const EncodedInputs pairs = encode_examples(examples, tokenizer(), {7, true});
  EXPECT_THAT(words_of(pairs, 0), ElementsAre(2, 5, 6, 3, 8, 5, 3));
  EXPECT_THAT(words_of(pairs, 1), ElementsAre(2, 5, 3, 6, 7, 8, 3));
  EXPECT_THAT(words_of(pairs, 2), ElementsAre(2, 5, 6, 3, 8, 9, 3));
  EXPECT_EQ(pairs.cut, 2);
  const EncodedInputs single = encode_examples(examples, tokenizer(), {4, false});
  EXPECT_THAT(words_of(single, 0), ElementsAre(2, 5, 6, 3));
  EXPECT_EQ(single.cut, 2);
}

TEST_F(EncodedInputsTest, AnInputNeedsRoomForText) {
  EXPECT_THROW(encode_examples({}, tokenizer(), {2, false}), ConfigError);
  EXPECT_THROW(encode_examples({}, tokenizer(), {3, true}), ConfigError);
  EXPECT_NO_THROW(encode_examples({}, tokenizer(), {3, false}));
}

// Input i has 2 + i % 5 pieces, all equal to i, the last one in segment 1.
EncodedInputs numbered_inputs(int32_t count) {
  EncodedInputs inputs;
  for (int32_t i = 0; i < count; ++i) {
    const std::vector<int32_t> ids(static_cast<size_t>(2 + i % 5), i);
    inputs.append(ids, std::ssize(ids) - 1);
  }
  return inputs;
}

std::vector<int64_t> epoch_order(const EncodedInputs& inputs, uint64_t seed, int64_t epoch) {
  ExampleBatches batches(inputs, {4, seed}, {epoch, 0});
  std::vector<int64_t> order;
  for (int64_t b = 0; b < batches.batches_in_epoch(); ++b)
    for (const int64_t example : batches.next().examples) order.push_back(example);
  return order;
}

TEST(ExampleBatches, AnEpochHasEveryExampleOnceInAnOrderOfItsOwn) {
  const EncodedInputs inputs = numbered_inputs(30);
  const std::vector<int64_t> first = epoch_order(inputs, 1, 0);
  EXPECT_EQ(first, epoch_order(inputs, 1, 0));
  EXPECT_NE(first, epoch_order(inputs, 1, 1));
  EXPECT_NE(first, epoch_order(inputs, 2, 0));
  std::vector<int64_t> sorted = first;
  std::ranges::sort(sorted);
  std::vector<int64_t> all(30);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

TEST(ExampleBatches, TokensAndSegmentsArePackedWithoutPadding) {
  const EncodedInputs inputs = numbered_inputs(10);
  ExampleBatches batches(inputs, {4, 1});
  EXPECT_EQ(batches.batches_in_epoch(), 3);
  const ExampleBatch batch = batches.next();
  ASSERT_EQ(batch.examples.size(), 4U);
  size_t token = 0;
  for (size_t b = 0; b < 4; ++b) {
    const int64_t length = inputs.length(batch.examples[b]);
    EXPECT_EQ(batch.tokens.offsets[b + 1] - batch.tokens.offsets[b], length);
    for (int64_t i = 0; i < length; ++i, ++token) {
      EXPECT_EQ(batch.tokens.tokens[token], batch.examples[b]);
      EXPECT_EQ(batch.segments[token], i == length - 1 ? 1 : 0);
    }
  }
  EXPECT_EQ(token, batch.segments.size());
  EXPECT_EQ(token, batch.tokens.tokens.size());
  batches.next();
  EXPECT_EQ(batches.next().examples.size(), 2U);  // the rest
}

TEST(ExampleBatches, ContinueWhereTheyStood) {
  const EncodedInputs inputs = numbered_inputs(23);
  ExampleBatches whole(inputs, {4, 5});
  for (int i = 0; i < 8; ++i) whole.next();
  EXPECT_EQ(whole.position(), (data::BatchPosition{1, 2}));
  ExampleBatches later(inputs, {4, 5}, whole.position());
  for (int i = 0; i < 9; ++i) EXPECT_EQ(later.next(), whole.next());
  EXPECT_THROW(ExampleBatches(inputs, {4, 5}, {0, 7}), Error);
  EXPECT_THROW(ExampleBatches(EncodedInputs{}, {4, 5}), Error);
}

TEST(AllBatches, HoldEveryInputOnceByLength) {
  const EncodedInputs inputs = numbered_inputs(7);  // lengths 2 3 4 5 6 2 3
  const std::vector<ExampleBatch> batches = all_batches(inputs, 8);
  ASSERT_EQ(batches.size(), 4U);
  EXPECT_THAT(batches[0].examples, ElementsAre(0, 5, 1));
  EXPECT_THAT(batches[1].examples, ElementsAre(6, 2));
  EXPECT_THAT(batches[2].examples, ElementsAre(3));
  EXPECT_THAT(batches[3].examples, ElementsAre(4));
  EXPECT_EQ(all_batches(inputs, 1).size(), 7U);  // longer than a batch: a batch each
}

}  // namespace

}  // namespace dietmt::bert
