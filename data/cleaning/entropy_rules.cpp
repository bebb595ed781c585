// Rules about cross-entropies: of translation models, and of the word aligner.
#include <cmath>

#include "common/error.h"
#include "data/cleaning/rule_kinds.h"

namespace dietmt::data {
namespace {

constexpr double kLooseEntropy = 50, kLooseDifference = 10, kLooseAlignment = 7;

EntropyTest cross_entropy_filter(const RuleSettings& settings, const PairFacts& facts) {
  if (!facts.has_score_model) throw ConfigError("needs --score-model");
  const double target = settings.number("tgt_threshold"), source = settings.number("src_threshold"),
               difference = settings.number("diff_threshold"),
               dual = settings.number("dual_threshold");
  if (!facts.has_reverse_model &&
      (source != kLooseEntropy || difference != kLooseDifference || dual != 0))
    throw ConfigError(
        "needs --score-model-reverse for src_threshold, diff_threshold and dual_threshold");
  return {EntropyTest::By::kModel, [=](const PairEntropies& pair) {
            if (!(pair.target <= target)) return false;
            return !pair.source ||
                   (*pair.source <= source && std::abs(pair.target - *pair.source) <= difference &&
                    dual_score(pair.target, *pair.source) >= dual);
          }};
}

EntropyTest word_align_filter(const RuleSettings& settings, const PairFacts&) {
  return {EntropyTest::By::kAligner,
          [target = settings.number("tgt_threshold"),
           source = settings.number("src_threshold")](const PairEntropies& pair) {
            return pair.target <= target && pair.source.value_or(0) <= source;
          }};
}

RuleParameter most(std::string name, double usual, std::string help) {
  return {.name = std::move(name),
          .default_value = std::to_string(static_cast<int>(usual)),
          .help = std::move(help),
          .rule = {.above = 0, .most = 1e9}};
}

}  // namespace

double dual_score(double forward, double reverse) {
  return std::exp(-(std::abs(forward - reverse) + (forward + reverse) / 2));
}

std::vector<RuleKind> entropy_rules() {
  return {
      {.name = "CrossEntropyFilter",
       .aliases = {},
       .help = "pairs that --score-model finds unlikely; cross-entropies are in nats per token",
       .parameters = {most("tgt_threshold", kLooseEntropy,
                           "greatest cross-entropy of the target, given the source"),
                      most("src_threshold", kLooseEntropy,
                           "greatest cross-entropy of the source, given the target, by "
                           "--score-model-reverse"),
                      most("diff_threshold", kLooseDifference,
                           "greatest difference between the two"),
                      {.name = "dual_threshold",
                       .default_value = "0",
                       .help = "least dual score, exp(-(difference + mean)), from 0 to 1",
                       .rule = {.least = 0, .most = 1}}},
       .make = cross_entropy_filter},
      {.name = "WordAlignFilter",
       .aliases = {},
       .help = "pairs whose words do not match: cross-entropies of the words of a side given those "
               "of the other, in nats per word, by an aligner that learns from the text "
               "(--align-pairs)",
       .parameters = {most("src_threshold", kLooseAlignment,
                           "greatest cross-entropy of the source's words, up to 12"),
                      most("tgt_threshold", kLooseAlignment,
                           "greatest cross-entropy of the target's words, up to 12")},
       .make = word_align_filter},
  };
}

}  // namespace dietmt::data
