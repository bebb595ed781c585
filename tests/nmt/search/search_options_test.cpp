#include "nmt/search/search_options.h"

#include <gmock/gmock.h>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SearchOptions, DefaultsHaveNoProblem) { EXPECT_THAT(SearchOptions().problems(), IsEmpty()); }

TEST(SearchOptions, ReportsAllProblems) {
  const SearchOptions options{.beam = 2, .nbest = 3, .length_penalty = -1, .temperature = 2};
  EXPECT_THAT(options.problems(), ElementsAre("--nbest must not be larger than --beam",
                                              "--length-penalty is -1; it must be from 0 to 10",
                                              "--top-k, --top-p and --temperature need --sample"));
}

TEST(SearchOptions, SamplingTakesMoreTranslationsThanTheBeam) {
  const SearchOptions options{.beam = 2, .nbest = 3, .sample = true, .temperature = 2};
  EXPECT_THAT(options.problems(), IsEmpty());
}

TEST(SearchOptions, ReadsTheNormsByName) {
  EXPECT_EQ(parse_length_norm("gnmt"), LengthNorm::kGnmt);
  EXPECT_THROW(parse_length_norm("wu"), ConfigError);
}

TEST(SearchOptions, TheLongestTargetGrowsWithTheSourceUpToABound) {
  const SearchOptions options{.max_length_factor = 1.5, .max_length_offset = 10};
  EXPECT_EQ(options.max_target_length(3), 14);
  EXPECT_EQ(options.max_target_length(100'000), SearchOptions::kLongestTarget);
  const SearchOptions offset{.max_length_factor = 1, .max_length_offset = 10'000};
  EXPECT_EQ(offset.max_target_length(60'000), SearchOptions::kLongestTarget);
}

}  // namespace
}  // namespace dietmt::nmt
