// Rules that count words and characters.
#include <algorithm>
#include <limits>

#include "common/error.h"
#include "data/cleaning/rule_kinds.h"

namespace dietmt::data {
namespace {

const OptionRule kCount{.least = 0, .most = 1e9};
const OptionRule kFactor{.least = 1, .most = 1e9};

using Length = int64_t (*)(const SideText&);

Length length_in(const std::string& unit) {
  if (unit == "word") return [](const SideText& side) { return side.words; };
  if (unit == "width") return [](const SideText& side) { return side.width; };
  return [](const SideText& side) { return side.characters; };
}

RuleParameter unit_parameter(const std::string& usual) {
  return {.name = "unit",
          .type = ParameterType::kText,
          .default_value = usual,
          .help =
              "what counts: words between white space, characters, or width (characters, wide "
              "ones of Chinese, Japanese and Korean twice)",
          .rule = {.choices = {"word", "char", "character", "width"}},
          .by_side = true};
}

PairTest length_filter(const RuleSettings& settings, const PairFacts&) {
  struct Range {
    Length length;
    double least, most;
  };
  std::array<Range, 2> ranges{};
  for (size_t side = 0; side < 2; ++side)
    ranges[side] = {length_in(settings.text("unit", side)), settings.number("min_length", side),
                    settings.number("max_length", side)};
  return [ranges, passes_empty = settings.flag("pass_empty")](const PairText& pair) {
    if (passes_empty && pair.source.characters == 0 && pair.target.characters == 0) return true;
    for (size_t side = 0; side < 2; ++side) {
      const auto length = static_cast<double>(ranges[side].length(*pair.sides()[side]));
      if (length < ranges[side].least || length > ranges[side].most) return false;
    }
    return true;
  };
}

PairTest length_ratio_filter(const RuleSettings& settings, const PairFacts&) {
  const Length source = length_in(settings.text("unit", 0));
  const Length target = length_in(settings.text("unit", 1));
  return [=, most = settings.number("threshold"),
          slack = settings.number("slack")](const PairText& pair) {
    const auto [shorter, longer] = std::minmax({source(pair.source), target(pair.target)});
    if (shorter == 0) return longer == 0;
    return static_cast<double>(longer) + slack < most * (static_cast<double>(shorter) + slack);
  };
}

// OpusCleaner's: the shorter side divided by the longer one.
PairTest word_ratio_filter(const RuleSettings& settings, const PairFacts&) {
  return [least = settings.number("ratio")](const PairText& pair) {
    const auto [shorter, longer] = std::minmax({pair.source.words, pair.target.words});
    return static_cast<double>(shorter) >= least * static_cast<double>(longer) && shorter > 0;
  };
}

PairTest average_word_filter(const RuleSettings& settings, const PairFacts&) {
  std::array<std::pair<double, double>, 2> ranges;
  for (size_t side = 0; side < 2; ++side)
    ranges[side] = {settings.number("min_length", side), settings.number("max_length", side)};
  return [ranges, passes_empty = settings.flag("pass_empty")](const PairText& pair) {
    if (passes_empty && pair.source.words == 0 && pair.target.words == 0) return true;
    for (size_t i = 0; i < 2; ++i) {
      const SideText& side = *pair.sides()[i];
      const double length = side.words == 0 ? 0.0
                                            : static_cast<double>(side.characters - side.spaces) /
                                                  static_cast<double>(side.words);
      if (length < ranges[i].first || length > ranges[i].second) return false;
    }
    return true;
  };
}

PairTest long_word_filter(const RuleSettings& settings, const PairFacts&) {
  const std::array<double, 2> most = {settings.number("threshold", 0),
                                      settings.number("threshold", 1)};
  return [most](const PairText& pair) {
    return static_cast<double>(pair.source.longest_word) < most[0] &&
           static_cast<double>(pair.target.longest_word) < most[1];
  };
}

PairTest score_filter(const RuleSettings& settings, const PairFacts& facts) {
  if (!facts.has_scores) throw ConfigError("needs --score-column");
  return [least = settings.number("min_score"),
          most = settings.number("max_score")](const PairText& pair) {
    return pair.score.has_value() && *pair.score >= least && *pair.score <= most;
  };
}

RuleParameter length_parameter(std::string name, std::string usual, std::string help,
                               std::string alias = "") {
  return {.name = std::move(name),
          .default_value = std::move(usual),
          .help = std::move(help),
          .rule = kCount,
          .by_side = true,
          .alias = std::move(alias)};
}

RuleParameter empty_parameter() {
  return {.name = "pass_empty",
          .type = ParameterType::kFlag,
          .default_value = "false",
          .help = "keep pairs of two empty lines"};
}

}  // namespace

std::vector<RuleKind> length_rules() {
  return {
      {.name = "LengthFilter",
       .aliases = {"max_length"},
       .help = "sides that are too short or too long",
       .parameters = {unit_parameter("word"),
                      length_parameter("min_length", "1", "shortest length", "MINLENGTH"),
                      length_parameter("max_length", "100", "greatest length", "MAXLENGTH"),
                      empty_parameter()},
       .make = length_filter},
      {.name = "LengthRatioFilter",
       .aliases = {},
       .help = "pairs in which one side is so many times as long as the other",
       .parameters = {unit_parameter("word"),
                      {.name = "threshold",
                       .default_value = "3",
                       .help = "the ratio that is too much",
                       .rule = kFactor},
                      {.name = "slack",
                       .default_value = "0",
                       .help = "added to both lengths, so that short sides may differ more",
                       .rule = kCount}},
       .make = length_ratio_filter},
      {.name = "src_trg_ratio",
       .aliases = {},
       .help = "pairs whose numbers of words differ too much",
       .parameters = {{.name = "ratio",
                       .default_value = "0.6",
                       .help = "least ratio of the smaller number to the greater one",
                       .rule = {.least = 0, .most = 1},
                       .alias = "RATIO"}},
       .make = word_ratio_filter},
      {.name = "AverageWordLengthFilter",
       .aliases = {"avg_word_length"},
       .help = "sides whose words are too short or too long on average",
       .parameters = {length_parameter("min_length", "2", "least average, in characters"),
                      length_parameter("max_length", "20", "greatest average"), empty_parameter()},
       .make = average_word_filter},
      {.name = "LongWordFilter",
       .aliases = {"max_word_length"},
       .help = "pairs with a word of so many characters; those of scripts that write no spaces "
               "between words do not count",
       .parameters = {length_parameter("threshold", "40", "the length that is too much",
                                       "MAXWORDLENGTH")},
       .make = long_word_filter},
      {.name = "ScoreFilter",
       .aliases = {},
       .help = "pairs without a score, or whose score (--score-column) is outside a range",
       .parameters = {{.name = "min_score",
                       .default_value = "0",
                       .help = "least score",
                       .rule = {.least = -1e9, .most = 1e9}},
                      {.name = "max_score",
                       .default_value = "1e9",
                       .help = "greatest score",
                       .rule = {.least = -1e9, .most = 1e9}}},
       .make = score_filter},
  };
}

}  // namespace dietmt::data
