#include <gmock/gmock.h>

#include "data/text/bert_tokenizer.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;

using Pieces = std::vector<int32_t>;

constexpr SpecialPieces kSpecial = {.pad = 0, .unknown = 1, .classify = 2, .separate = 3};

TEST(EncoderInput, OneText) {
  const EncoderInput input = encoder_input(Pieces{10, 11}, {}, kSpecial, 8);
  EXPECT_THAT(input.ids, ElementsAre(2, 10, 11, 3));
  EXPECT_EQ(input.second_begin, 4);
  EXPECT_EQ(input.cut, 0);
}

TEST(EncoderInput, AnEmptyTextIsFramed) {
  EXPECT_THAT(encoder_input(Pieces{}, {}, kSpecial, 8).ids, ElementsAre(2, 3));
  EXPECT_THAT(encoder_input(Pieces{}, Pieces{}, kSpecial, 8).ids, ElementsAre(2, 3, 3));
}

TEST(EncoderInput, TwoTexts) {
  const EncoderInput input = encoder_input(Pieces{10, 11}, Pieces{20}, kSpecial, 6);
  EXPECT_THAT(input.ids, ElementsAre(2, 10, 11, 3, 20, 3));
  EXPECT_EQ(input.second_begin, 4);
  EXPECT_EQ(input.cut, 0);
}

TEST(EncoderInput, ALongTextLosesItsEnd) {
  const EncoderInput input = encoder_input(Pieces{10, 11, 12, 13}, {}, kSpecial, 4);
  EXPECT_THAT(input.ids, ElementsAre(2, 10, 11, 3));
  EXPECT_EQ(input.cut, 2);
}

TEST(EncoderInput, TheLongerOfTwoTextsLosesFirst) {
  const EncoderInput input = encoder_input(Pieces{10, 11, 12, 13, 14}, Pieces{20, 21}, kSpecial, 7);
  EXPECT_THAT(input.ids, ElementsAre(2, 10, 11, 3, 20, 21, 3));
  EXPECT_EQ(input.cut, 3);
  EXPECT_THAT(encoder_input(Pieces{10}, Pieces{20, 21, 22}, kSpecial, 6).ids,
              ElementsAre(2, 10, 3, 20, 21, 3));
}

TEST(EncoderInput, EqualTextsLoseInTurnTheSecondFirst) {
  const Pieces first{10, 11, 12}, second{20, 21, 22, 23};
  EXPECT_THAT(encoder_input(first, second, kSpecial, 8).ids,
              ElementsAre(2, 10, 11, 12, 3, 20, 21, 3));
  EXPECT_THAT(encoder_input(first, second, kSpecial, 7).ids, ElementsAre(2, 10, 11, 3, 20, 21, 3));
  EXPECT_THAT(encoder_input(first, second, kSpecial, 3).ids, ElementsAre(2, 3, 3));
}

TEST(EncoderInput, RobertaHasTwoSeparators) {
  const SpecialPieces special{
      .pad = 1, .unknown = 4, .classify = 0, .separate = 2, .separators = 2};
  EXPECT_THAT(encoder_input(Pieces{10, 11}, {}, special, 8).ids, ElementsAre(0, 10, 11, 2));
  const EncoderInput both = encoder_input(Pieces{10, 11}, Pieces{20, 21, 22}, special, 8);
  EXPECT_THAT(both.ids, ElementsAre(0, 10, 11, 2, 2, 20, 21, 2));
  EXPECT_EQ(both.second_begin, 5);
  EXPECT_EQ(both.cut, 1);
  EXPECT_THAT(encoder_input(Pieces{10}, Pieces{20}, special, 3).ids, ElementsAre(0, 2, 2, 2));
}

}  // namespace
}  // namespace dietmt::data
