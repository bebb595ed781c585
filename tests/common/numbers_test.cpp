#include "common/numbers.h"

#include <gmock/gmock.h>

namespace dietmt {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(NumberInTest, ReadsNumbersThatFillTheText) {
  EXPECT_THAT(number_in<int64_t>("-12"), Optional(-12));
  EXPECT_THAT(number_in<double>("2.5e-1"), Optional(0.25));
  EXPECT_THAT(number_in<uint32_t>("fF", 16), Optional(255));
  for (const char* other : {"", " 1", "1 ", "+1", "1x", "x", "0x1", "99999999999999999999"})
    EXPECT_THAT(number_in<int64_t>(other), Eq(std::nullopt)) << other;
  EXPECT_THAT(number_in<uint32_t>("-1"), Eq(std::nullopt));
}

TEST(NumberedCharacterTest, ReadsReferencesOfHtml) {
  EXPECT_THAT(numbered_character("233"), Optional(U'\u00E9'));
  EXPECT_THAT(numbered_character("xe9"), Optional(U'\u00E9'));
  EXPECT_THAT(numbered_character("X1F600"), Optional(U'\U0001F600'));
  for (const char* other : {"", "x", "0", "xD800", "x110000", "4294967529", "-1", "12;", "e9"})
    EXPECT_THAT(numbered_character(other), Eq(std::nullopt)) << other;
}

}  // namespace
}  // namespace dietmt
