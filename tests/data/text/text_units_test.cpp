#include "data/text/text_units.h"

#include <gmock/gmock.h>

#include "tests/common/cpu_cost.h"

namespace dietmt::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TextUnitsTest, Words) {
  EXPECT_THAT(unit_ends("A dog, 1.5", TextUnit::kWord), ElementsAre(1, 2, 5, 6, 7, 10));
  EXPECT_THAT(unit_ends("é猫", TextUnit::kWord), ElementsAre(2, 5));
  EXPECT_THAT(unit_ends("", TextUnit::kWord), IsEmpty());
}

TEST(TextUnitsTest, Lines) {
  EXPECT_THAT(unit_ends("A dog, 1.5", TextUnit::kLine), ElementsAre(2, 7, 10));
  EXPECT_THAT(unit_ends("猫は", TextUnit::kLine), ElementsAre(3, 6));
  EXPECT_THAT(unit_ends("", TextUnit::kLine), IsEmpty());
}

TEST(TextUnitsTest, LongTextsTakeTimeInProportion) {
  for (const char* part : {"a ", "a", ".", "猫", "é\u0301"}) {
    const auto make = [&](size_t bytes) { return repeated(part, bytes); };
    const auto work = [](const std::string& text) {
      unit_ends(text, TextUnit::kWord);
      unit_ends(text, TextUnit::kLine);
    };
    EXPECT_LE(cost_growth(100'000, make, work), kLinearGrowth) << part;
  }
}

}  // namespace
}  // namespace dietmt::data
