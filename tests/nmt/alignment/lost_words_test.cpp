#include "nmt/alignment/lost_words.h"

#include <gtest/gtest.h>

namespace dietmt::nmt {
namespace {

TEST(LostWordsTest, ATranslationWithoutLettersHasLostThem) {
  EXPECT_TRUE(has_lost_words("7.12.2.", "7.12.2. uscan"));
  EXPECT_TRUE(has_lost_words("1 - 1", "夏日計劃 1"));
  EXPECT_TRUE(has_lost_words("-", "Оглавление"));
  EXPECT_TRUE(has_lost_words("", "a"));
  EXPECT_FALSE(has_lost_words("7.12.2. a", "7.12.2. uscan"));
  EXPECT_FALSE(has_lost_words("12:30", "12.30"));
}

TEST(LostWordsTest, SignsStandForWords) {
  EXPECT_FALSE(has_lost_words("10 %", "10 percent"));
  EXPECT_FALSE(has_lost_words("№ 5", "No. 5"));
  EXPECT_FALSE(has_lost_words("5", "five"));
}

}  // namespace
}  // namespace dietmt::nmt
