#include "encoders/position/encoding_row.h"

#include <algorithm>
#include <stdexcept>

#include "common/numbers.h"

namespace dietmt::encoders {
namespace {

constexpr int64_t kLargest = 1 << 20;  // number of an option

constexpr const char* kSummaryOption = "cls";
constexpr const char* kUntied = "untied";

constexpr std::array<Choice<Sharing>, 4> kSharings = {{{"none", Sharing::kNone},
                                                       {"layers", Sharing::kLayers},
                                                       {"heads", Sharing::kHeads},
                                                       {"all", Sharing::kAll}}};

}  // namespace

bool EncodingOption::accepts(const std::string& value) const {
  if (std::find(words.begin(), words.end(), value) != words.end()) return true;
  if (!minimum) return false;
  const auto number = number_in<int64_t>(value);
  return number && *number >= *minimum && *number <= kLargest;
}

std::string EncodingOption::normalized(const std::string& value) const {
  const bool is_word = std::find(words.begin(), words.end(), value) != words.end();
  return is_word ? value : std::to_string(std::stoll(value));
}

std::string EncodingOption::possible() const {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  if (minimum)
    text += (text.empty() ? "" : "|") +
            ("a whole number from " + std::to_string(*minimum) + " to " + std::to_string(kLargest));
  return text;
}

OptionValues::OptionValues(const std::vector<EncodingOption>& options) {
  for (const EncodingOption& option : options) set(option.name, option.default_value);
}

const std::string& OptionValues::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    throw std::logic_error("the row of this encoding has no option '" + name + "'");
  return found->second;
}

std::optional<int64_t> OptionValues::number_or_none(const std::string& name) const {
  if (text(name).find_first_not_of("0123456789") != std::string::npos) return {};
  return number(name);
}

const EncodingOption* EncodingRow::option(const std::string& option_name) const {
  for (const EncodingOption& option : options)
    if (option.name == option_name) return &option;
  return nullptr;
}

bool EncodingRow::unties_summary(const OptionValues& values) const {
  return may_untie_summary() && values.text(kSummaryOption) == kUntied;
}

Sharing EncodingRow::summary_sharing(const OptionValues& values) const {
  return option("share") != nullptr ? sharing_of(values) : Sharing::kLayers;
}

bool EncodingSites::contains(AttentionSite site) const {
  switch (site) {
    case AttentionSite::kEncoder:
      return encoder;
    case AttentionSite::kDecoder:
      return decoder;
    case AttentionSite::kCross:
      return cross;
  }
  return false;
}

EncodingOption number_option(const std::string& name, int64_t default_value, int64_t minimum,
                             const std::string& meaning) {
  return {name, std::to_string(default_value), {}, minimum, meaning};
}

EncodingOption flag_option(const std::string& name, bool default_value,
                           const std::string& meaning) {
  return {name, default_value ? "true" : "false", {"true", "false"}, {}, meaning};
}

EncodingOption number_or_option(const std::string& name, const std::string& word,
                                std::optional<int64_t> default_value, int64_t minimum,
                                const std::string& meaning) {
  return {name, default_value ? std::to_string(*default_value) : word, {word}, minimum, meaning};
}

EncodingOption summary_option() {
  return {kSummaryOption,
          "tied",
          {"tied", kUntied},
          {},
          "untied: scores with position 0, such as [CLS], have their own two numbers"};
}

EncodingOption share_option(Sharing default_value) {
  return choice_option("share", kSharings, default_value, "what shares one table");
}

Sharing sharing_of(const OptionValues& values) { return choice_of(values, "share", kSharings); }

}  // namespace dietmt::encoders
