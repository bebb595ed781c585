// Rules about the cross-entropies of translation models.
#include <cmath>

#include "common/error.h"
#include "data/cleaning/rule_kinds.h"

namespace dietmt::data {
namespace {

constexpr double kLooseEntropy = 50, kLooseDifference = 10;

EntropyTest cross_entropy_filter(const RuleSettings& settings, const PairFacts& facts) {
  if (!facts.has_score_model) throw ConfigError("needs --score-model");
  const double target = settings.number("tgt_threshold"), source = settings.number("src_threshold"),
               difference = settings.number("diff_threshold"),
               dual = settings.number("dual_threshold");
  if (!facts.has_reverse_model &&
      (source != kLooseEntropy || difference != kLooseDifference || dual != 0))
    throw ConfigError(
        "needs --score-model-reverse for src_threshold, diff_threshold and dual_threshold");
  return [=](const PairEntropies& pair) {
    if (!(pair.target <= target)) return false;
    return !pair.source ||
           (*pair.source <= source && std::abs(pair.target - *pair.source) <= difference &&
            dual_score(pair.target, *pair.source) >= dual);
  };
}

RuleParameter most(std::string name, double usual, std::string help) {
  return {.name = std::move(name),
          .default_value = std::to_string(static_cast<int>(usual)),
          .help = std::move(help),
          .rule = {.least = 0, .most = 1e9}};
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
  };
}

}  // namespace dietmt::data
