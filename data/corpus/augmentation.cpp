#include "data/corpus/augmentation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/random.h"
#include "data/text/text_changes.h"

namespace dietmt::data {
namespace {

constexpr std::array<std::pair<std::string_view, double AugmentationRates::*>, 5> kNames = {
    {{"upper", &AugmentationRates::upper},
     {"title", &AugmentationRates::title},
     {"lower", &AugmentationRates::lower},
     {"typos", &AugmentationRates::typos},
     {"noise", &AugmentationRates::noise}}};

const std::vector<std::string> kNoTags;

using TextChange = std::function<std::string(std::string_view)>;

bool has_bytes(const Tokenizer& tokenizer) {
  const std::vector<int32_t> pieces = tokenizer.encode("\U0010FFFD");  // for private use
  return std::ranges::count(pieces, tokenizer.unknown_id()) == 0;
}

/// A side with its text changed; none if it has an unknown piece before or afterwards. Special
/// pieces and a tag before the text stay.
class Rewriting {
 public:
  Rewriting(const Tokenizer& tokenizer, const std::vector<std::string>& tags,
            const TextChange& change)
      : tokenizer_(tokenizer), tags_(tags), change_(change) {}

  std::optional<std::vector<int32_t>> of(std::span<const int32_t> ids) const {
    std::vector<int32_t> made;
    for (size_t begin = 0; begin < ids.size();) {
      size_t end = begin;
      while (end < ids.size() && !is_special(ids[end])) ++end;
      if (end > begin)
        for (const int32_t id : tokenizer_.encode(changed(ids.subspan(begin, end - begin))))
          made.push_back(id);
      if (end < ids.size()) made.push_back(ids[end++]);
      begin = end;
    }
    const auto is_unknown = [&](int32_t id) { return id == tokenizer_.unknown_id(); };
    if (std::ranges::any_of(ids, is_unknown) || std::ranges::any_of(made, is_unknown)) return {};
    return made;
  }

 private:
  bool is_special(int32_t id) const {
    return id == tokenizer_.end_id() || id == tokenizer_.begin_id() ||
           id == tokenizer_.separator_id() || tokenizer_.is_tag(id);
  }

  std::string changed(std::span<const int32_t> ids) const {
    const std::string text = tokenizer_.decode(ids);
    for (const std::string& tag : tags_)
      if (text.starts_with(tag + ' '))
        return tag + ' ' + change_(std::string_view(text).substr(tag.size() + 1));
    return change_(text);
  }

  const Tokenizer& tokenizer_;
  const std::vector<std::string>& tags_;
  const TextChange& change_;
};

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
    const std::string_view number = part.substr(std::min(colon + 1, part.size()));
    double rate = 0;
    const auto [end, error] = std::from_chars(number.begin(), number.end(), rate);
    const bool is_rate = error == std::errc() && end == number.end() && rate > 0 && rate <= 1;
    if (known == kNames.end() || !is_rate)
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

Augmentation::Augmentation(const AugmentationRates& rates, std::shared_ptr<const Tokenizer> source,
                           std::shared_ptr<const Tokenizer> target, std::vector<std::string> tags)
    : rates_(rates),
      source_(std::move(source)),
      target_(std::move(target)),
      tags_(std::move(tags)) {
  for (const auto& tokenizer : {source_, target_})
    if (rates_.noise > 0 && !has_bytes(*tokenizer))
      throw ConfigError("noise has characters that " + tokenizer->file() +
                        " lacks: train tokenizers with --byte-fallback");
}

DrawnPair Augmentation::changed(DrawnPair pair, uint64_t key) const {
  Random random(key);
  double draw = random.uniform();
  const auto* drawn = std::ranges::find_if(kNames, [&](const auto& one) {
    const double rate = rates_.*one.second;
    const bool is_it = draw < rate;
    draw -= rate;
    return is_it;
  });
  if (drawn == kNames.end()) return pair;
  const std::string_view name = drawn->first;
  const std::string random_text = name == "noise" ? noise(random) : "";
  const TextChange change = [&](std::string_view text) {
    if (name == "upper") return upper_cased(text);
    if (name == "title") return title_cased(text);
    if (name == "lower") return lower_cased(text);
    return name == "typos" ? mistyped(text, random) : random_text;
  };
  const auto source = Rewriting(*source_, tags_, change).of(pair.source);
  const auto target =
      name == "typos" ? pair.target : Rewriting(*target_, kNoTags, change).of(pair.target);
  return source && target ? DrawnPair{*source, *target} : std::move(pair);
}

}  // namespace dietmt::data
