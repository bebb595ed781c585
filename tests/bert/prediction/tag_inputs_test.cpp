#include "bert/prediction/tag_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/data/tasks/space_tokenizer.h"

namespace dietmt::bert {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

data::TaggedData sentences(const std::vector<std::vector<std::string>>& all) {
  data::TaggedData data;
  data.labels = {"O", "B", "I"};
  data.labelled = true;
  for (const std::vector<std::string>& words : all)
    data.sentences.push_back({words, std::vector<int32_t>(words.size(), 1), 1});
  return data;
}

// The tokenizer splits "a b" in two pieces and gives none for "".
TEST(TagInputs, TheFirstPieceOfAWordDecidesIt) {
  const data::SpaceTokenizer tokenizer;
  const TagInputs inputs = encode_tags(sentences({{"a", "b c d", "", "e"}, {"a"}}), tokenizer, 16);
  ASSERT_EQ(inputs.inputs.size(), 2);
  EXPECT_THAT(inputs.inputs.tokens.tokens,
              ElementsAre(2, 5, 6, 7, 8, 1, 9, 3, 2, 5, 3));  // 1: unknown
  EXPECT_THAT(inputs.words, ElementsAre(-1, 0, 1, -1, -1, 2, 3, -1, -1, 4, -1));
  EXPECT_THAT(inputs.inputs.second_begins, ElementsAre(8, 3));
  EXPECT_THAT(inputs.tags, ElementsAre(1, 1, 1, 1, 1));
  const std::vector<int32_t> tokens = {0, 1, 2, 0, 0, 0, 1, 0, 0, 2, 0};
  EXPECT_THAT(predicted_tags(inputs, tokens),
              ElementsAre(ElementsAre("B", "I", "O", "B"), ElementsAre("I")));
}

TEST(TagInputs, EveryWordOfALongSentenceIsDecidedOnceWithContext) {
  const data::SpaceTokenizer tokenizer;
  for (const size_t words : {1, 6, 7, 8, 20, 101}) {
    std::vector<std::string> sentence(words, "w");
    for (size_t w = 0; w < words; w += 5) sentence[w] = "w w w";
    const TagInputs inputs = encode_tags(sentences({sentence, sentence}), tokenizer, 8);
    std::vector<int64_t> times(2 * words);
    for (int64_t i = 0; i < inputs.inputs.size(); ++i) {
      const int64_t length = inputs.inputs.length(i);
      EXPECT_LE(length, 8);
      const auto begin = static_cast<size_t>(inputs.inputs.tokens.offsets[static_cast<size_t>(i)]);
      for (int64_t t = 0; t < length; ++t)
        if (const int32_t word = inputs.words[begin + static_cast<size_t>(t)]; word >= 0)
          ++times[static_cast<size_t>(word)];
    }
    EXPECT_THAT(times, ElementsAreArray(std::vector<int64_t>(2 * words, 1))) << words;
  }
}

TEST(TagInputs, HashesSeeWordsAndTags) {
  const data::SpaceTokenizer tokenizer;
  const TagInputs inputs = encode_tags(sentences({{"a", "b"}}), tokenizer, 8);
  TagInputs other = inputs;
  other.tags[0] = 2;
  EXPECT_NE(content_hash(inputs), content_hash(other));
  EXPECT_NE(content_hash(inputs), content_hash(encode_tags(sentences({{"a b"}}), tokenizer, 8)));
}

TEST(TagInputs, WindowsNeedRoomForAPiece) {
  const data::SpaceTokenizer tokenizer;
  EXPECT_EQ(encode_tags(sentences({{"a", "b"}}), tokenizer, 3).inputs.size(), 2);
  EXPECT_THROW(encode_tags(sentences({{"a"}}), tokenizer, 2), ConfigError);
}

}  // namespace
}  // namespace dietmt::bert
