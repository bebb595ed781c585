#include "reporting/heat_map.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace dietmt::reporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();

TEST(HeatMap, DrawsRunsOfEqualShade) {
  const std::string svg = svg_heat_map({"<a>", 2, 4, {1, 1, -2, 0, 2, kBlank, 1, 1}});
  EXPECT_THAT(svg, HasSubstr("viewBox='0 0 4 2'"));
  EXPECT_THAT(svg, HasSubstr("aria-label='&lt;a&gt;'"));
  EXPECT_THAT(svg, HasSubstr("<path class='up' stroke-opacity='0.5' d='M0 0.5h2M2 1.5h2'/>"));
  EXPECT_THAT(svg, HasSubstr("<path class='up' stroke-opacity='1' d='M0 1.5h1'/>"));
  EXPECT_THAT(svg, HasSubstr("<path class='down' stroke-opacity='1' d='M2 0.5h1'/>"));
}

TEST(HeatMap, KeepsAGivenScale) {
  EXPECT_THAT(svg_heat_map({"", 1, 1, {0.5}, 1}), HasSubstr("stroke-opacity='0.5'"));
  EXPECT_THAT(svg_heat_map({"", 1, 1, {5}, 1}), HasSubstr("stroke-opacity='1'"));
}

TEST(HeatMap, OfNothingOrZerosIsEmpty) {
  EXPECT_EQ(svg_heat_map({}), "");
  EXPECT_THAT(svg_heat_map({"", 1, 2, {0, kBlank}}), Not(HasSubstr("<path")));
}

TEST(HeatMap, IsReducedToMeansOfWhatIsThere) {
  const HeatMap small = reduced({"", 2, 4, {1, 3, kBlank, kBlank, 5, 7, kBlank, 8}}, 2);
  EXPECT_EQ(small.rows, 2U);
  EXPECT_EQ(small.columns, 2U);
  EXPECT_EQ(small.values[0], 2);
  EXPECT_TRUE(std::isnan(small.values[1]));
  EXPECT_EQ(small.values[2], 6);
  EXPECT_EQ(small.values[3], 8);
  EXPECT_THAT(reduced({"", 1, 3, {1, 2, 4}}, 5).values, ElementsAre(1, 2, 4));
  EXPECT_THAT(reduced({"", 1, 3, {1, 2, 4}}, 2).values, ElementsAre(1, 3));
}

}  // namespace
}  // namespace dietmt::reporting
