#include "nmt/search/search_options.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "common/checks.h"
#include "common/error.h"
#include "common/process.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SearchOptions, DefaultsHaveNoProblem) { EXPECT_THAT(SearchOptions().problems(), IsEmpty()); }

TEST(SearchOptions, ReportsAllProblems) {
  const SearchOptions options{.beam = 2, .nbest = 3, .length_penalty = -1, .temperature = 2};
  EXPECT_THAT(options.problems(),
              ElementsAre("--length-penalty is -1; it must be from 0 to 10",
                          "--nbest must not be larger than --beam",
                          "--top-k, --top-p, --epsilon and --temperature need --sample"));
}

TEST(SearchOptions, TakeWhatAModelWantsAndAUserHasNotGiven) {
  SearchOptions options{.beam = 7};
  options.take({{"beam", 3}, {"length_penalty", 0.5}, {"min_length", 4}},
               [](const std::string& name) { return name == "beam"; });
  EXPECT_EQ(options.beam, 7);
  EXPECT_EQ(options.length_penalty, 0.5);
  EXPECT_EQ(options.min_length, 4);
  const auto problem = [&](const SearchDefaults& defaults) -> std::string {
    try {
      options.take(defaults);
    } catch (const CheckpointError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem({{"beam", 0}}), "search: beam is 0; it must be from 1 to 1000");
  EXPECT_EQ(problem({{"beam", 2.5}}), "search: beam is 2.5; it must be a whole number");
  for (const char* other : {"beams", "sample", "length_norm"})
    EXPECT_THAT(problem({{other, 1}}), HasSubstr(other + std::string(" is not a number")));
}

TEST(SearchOptions, SamplingTakesMoreTranslationsThanTheBeam) {
  const SearchOptions options{.beam = 2, .nbest = 3, .sample = true, .temperature = 2};
  EXPECT_THAT(options.problems(), IsEmpty());
}

TEST(SearchOptions, LimitsOnRepetitionHaveRanges) {
  const SearchOptions options{
      .no_repeat_ngram = -1, .repetition_penalty = 0, .patience = std::nan("")};
  EXPECT_THAT(options.problems(),
              ElementsAre("--no-repeat-ngram is -1; it must be from 0 to 10000",
                          "--repetition-penalty is 0; it must be from 0.01 to 100",
                          "--patience is nan; it must be above 0 and at most 100"));
}

TEST(SearchOptions, PatienceDecidesHowManyHypothesesFinish) {
  const auto finished = [](int64_t beam, double patience) {
    return SearchOptions{.beam = beam, .patience = patience}.finished_to_end();
  };
  EXPECT_EQ(finished(5, 1), 5);
  EXPECT_EQ(finished(10, 1.1), 11);  // 10 * 1.1 > 11 in floating point
  EXPECT_EQ(finished(5, 1.5), 8);
  EXPECT_EQ(finished(5, 0.5), 3);
  EXPECT_EQ(finished(1, 1e-12), 1);
  EXPECT_EQ(finished(1, 3), 1);  // greedy search has no patience
  EXPECT_EQ((SearchOptions{.beam = 4, .patience = 2, .diverse_groups = 4}.group_finished_to_end()),
            1);
}

TEST(SearchOptions, PatienceMustGiveAllTranslations) {
  const SearchOptions options{.beam = 4, .nbest = 3, .patience = 0.5};
  EXPECT_THAT(options.problems(),
              ElementsAre("--nbest must not be larger than --beam * --patience"));
  const SearchOptions sampling{.patience = 2, .sample = true};
  EXPECT_THAT(sampling.problems(),
              ElementsAre("--patience is for beam search: leave out --sample"));
}

TEST(SearchOptions, GroupsDivideTheBeamOfASearch) {
  EXPECT_THAT((SearchOptions{.beam = 6, .nbest = 6, .diverse_groups = 3}.problems()), IsEmpty());
  EXPECT_THAT((SearchOptions{.beam = 5, .diverse_groups = 2}.problems()),
              ElementsAre("--beam 5 is not divisible by --diverse-groups 2"));
  EXPECT_THAT((SearchOptions{.beam = 4, .diverse_groups = 2, .sample = true}.problems()),
              ElementsAre("--diverse-groups is for beam search: leave out --sample"));
  EXPECT_THAT((SearchOptions{.diversity_strength = 0.2}.problems()),
              ElementsAre("--diversity-strength needs --diverse-groups 2 or more"));
  EXPECT_THAT((SearchOptions{.diverse_groups = 0}.problems()),
              ElementsAre("--diverse-groups is 0; it must be from 1 to 1000"));
  const SearchOptions options{
      .beam = 6, .patience = 1.5, .diverse_groups = 3, .diversity_strength = 2};
  EXPECT_EQ(options.group_beam(), 2);
  EXPECT_EQ(options.group_finished_to_end(), 3);
  EXPECT_THAT(options.for_pivot().problems(), IsEmpty());
}

TEST(SearchOptions, AFirstModelTakesTheBeamTheLimitsAndTheMachine) {
  const SearchOptions options{.beam = 3,
                              .nbest = 2,
                              .length_penalty = 0,
                              .length_norm = "gnmt",
                              .max_length_factor = 3,
                              .max_length_offset = 4,
                              .min_length = 2,
                              .no_repeat_ngram = 2,
                              .repetition_penalty = 2,
                              .patience = 2,
                              .workers = 2,
                              .threads = 3,
                              .batch_tokens = 8,
                              .max_source_length = 7,
                              .alignment = true};
  const SearchOptions first = options.for_pivot(), defaults;
  EXPECT_EQ(first.beam, 3);
  EXPECT_EQ(first.max_length_factor, 3);
  EXPECT_EQ(first.max_length_offset, 4);
  EXPECT_EQ(first.max_source_length, 7);
  EXPECT_EQ(first.batch_tokens, 8);
  EXPECT_EQ(first.workers, 2);
  EXPECT_EQ(first.threads, 3);
  EXPECT_EQ(first.nbest, 1);
  EXPECT_EQ(first.length_penalty, defaults.length_penalty);
  EXPECT_EQ(first.length_norm, defaults.length_norm);
  EXPECT_EQ(first.min_length, 0);
  EXPECT_EQ(first.no_repeat_ngram, 0);
  EXPECT_EQ(first.repetition_penalty, 1);
  EXPECT_EQ(first.patience, 1);
  EXPECT_FALSE(first.alignment);
}

TEST(SearchOptions, CoverageIsForBeamSearch) {
  EXPECT_THAT((SearchOptions{.coverage_penalty = 0.2, .sample = true}.problems()),
              ElementsAre("--coverage-penalty is for beam search: leave out --sample"));
  EXPECT_THAT((SearchOptions{.coverage_penalty = -1}.problems()),
              ElementsAre("--coverage-penalty is -1; it must be from 0 to 100"));
  EXPECT_FALSE(SearchOptions().needs_attention());
  EXPECT_TRUE(SearchOptions{.coverage_penalty = 0.2}.needs_attention());
  EXPECT_FALSE(SearchOptions{.coverage_penalty = 0.2}.for_pivot().needs_attention());
}

TEST(SearchOptions, AnUnknownNormIsAProblem) {
  EXPECT_THAT(SearchOptions{.length_norm = "gnmt"}.problems(), IsEmpty());
  EXPECT_THAT(SearchOptions{.length_norm = "wu"}.problems(),
              ElementsAre("--length-norm is 'wu'; it must be power or gnmt"));
}

// Values at the ends of a rule, and those just outside.
template <typename Number>
void expect_ends(const SearchOption& option, Number SearchOptions::*field) {
  const OptionRule& rule = option.rule;
  const auto is_accepted = [&](double value) {
    SearchOptions options{.beam = 1000, .sample = option.group == SearchOption::Group::kSampling};
    options.*field = static_cast<Number>(value);
    const std::string refused = setting_key(option.name, "") + " is ";
    return std::ranges::none_of(options.problems(), [&](const std::string& problem) {
      return problem.starts_with(refused);
    });
  };
  constexpr double kStep = std::is_same_v<Number, int64_t> ? 1 : 1e-4;
  ASSERT_TRUE(rule.most && rule.least.has_value() != rule.above.has_value()) << option.name;
  EXPECT_TRUE(!rule.least || is_accepted(*rule.least)) << option.name;
  EXPECT_FALSE(is_accepted(rule.least ? *rule.least - kStep : *rule.above)) << option.name;
  if (*rule.most == 0x1p63) return;  // no larger number exists
  EXPECT_TRUE(is_accepted(*rule.most)) << option.name;
  EXPECT_FALSE(is_accepted(*rule.most + kStep)) << option.name;
}

TEST(SearchOptions, EveryNumberHasTheRangeOfTheTable) {
  size_t numbers = 0;
  for (const SearchOption& option : search_option_table()) {
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_EQ(option.help.find("--"), std::string::npos) << option.name;
    std::visit(
        [&]<typename Value>(Value SearchOptions::*field) {
          if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
            expect_ends(option, field);
            ++numbers;
          }
        },
        option.field);
  }
  EXPECT_GE(numbers, 20U);
}

TEST(SearchOptions, WorkersLeaveEachOfTheirThreadsACore) {
  const int64_t cores = usable_cores();
  EXPECT_EQ(usable_workers(0, 1), cores);
  EXPECT_EQ(usable_workers(0, cores), 1);
  EXPECT_EQ(usable_workers(0, 4 * cores), 1);
  EXPECT_EQ(usable_workers(0, 2), std::max<int64_t>(1, cores / 2));
  EXPECT_EQ(usable_workers(3, 4 * cores), 3);
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
