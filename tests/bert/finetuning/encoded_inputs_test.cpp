#include "bert/finetuning/encoded_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dietmt::bert
