#include "data/text/text_augmentation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "common/numbers.h"
#include "data/text/text_changes.h"

namespace dietmt::data {
namespace {

constexpr std::array<std::pair<std::string_view, double AugmentationRates::*>, 5> kNames = {
    {{"upper", &AugmentationRates::upper},
     {"title", &AugmentationRates::title},
     {"lower", &AugmentationRates::lower},
     {"typos", &AugmentationRates::typos},
     {"noise", &AugmentationRates::noise}}};

}  // namespace

AugmentationRates AugmentationRates::parse(const std::string& text) {
  AugmentationRates rates;
  double sum = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const size_t colon = std::min(part.find(':'), part.size());
    const auto* known =
        std::ranges::find(kNames, part.substr(0, colon), &decltype(kNames)::value_type::first);
    const double rate =
        number_in<double>(part.substr(std::min(colon + 1, part.size()))).value_or(0);
    if (known == kNames.end() || !(rate > 0 && rate <= 1))
      throw ConfigError("'" + std::string(part) +
                        "' is not a change with its share of the pairs: upper, title, lower, typos "
                        "or noise, a colon and a number above 0, at most 1");
    if (rates.*known->second != 0)
      throw ConfigError("'" + std::string(known->first) + "' is given twice");
    rates.*known->second = rate;
    sum += rate;
  }
  if (sum > 1) throw ConfigError("the shares of the pairs add up to more than 1");
  return rates;
}

PairChange drawn_change(const AugmentationRates& rates, Random& random) {
  double draw = random.uniform();
  const auto* drawn = std::ranges::find_if(kNames, [&](const auto& one) {
    const double rate = rates.*one.second;
    const bool is_it = draw < rate;
    draw -= rate;
    return is_it;
  });
  if (drawn == kNames.end()) return {};
  const std::string_view name = drawn->first;
  if (name == "typos")
    return {.source = [&random](std::string_view text) { return mistyped(text, random); }};
  if (name == "noise") {
    const auto same = [made = noise(random)](std::string_view) { return made; };
    return {.source = same, .target = same};
  }
  const auto change = name == "upper" ? upper_cased : name == "title" ? title_cased : lower_cased;
  return {.source = change, .target = change};
}

}  // namespace dietmt::data
