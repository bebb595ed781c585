#include "encoders/position/encoding_row.h"

#include <algorithm>
#include <charconv>

namespace dietmt::encoders {

bool EncodingOption::accepts(const std::string& value) const {
  if (std::find(words.begin(), words.end(), value) != words.end()) return true;
  if (!minimum) return false;
  constexpr int64_t kLargest = 1 << 20;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size() && number >= *minimum &&
         number <= kLargest;
}

std::string EncodingOption::possible() const {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  if (minimum) text += (text.empty() ? "" : "|") + ("a number from " + std::to_string(*minimum));
  return text;
}

OptionValues::OptionValues(const std::vector<EncodingOption>& options) {
  for (const EncodingOption& option : options) set(option.name, option.default_value);
}

const EncodingOption* EncodingRow::option(const std::string& option_name) const {
  for (const EncodingOption& option : options)
    if (option.name == option_name) return &option;
  return nullptr;
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

EncodingOption share_option(const std::string& default_value) {
  return {"share", default_value, {"none", "layers", "heads", "all"}, {}, "who has a common table"};
}

EncodingOption number_option(const std::string& name, const std::string& default_value,
                             int64_t minimum, const std::string& meaning) {
  return {name, default_value, {}, minimum, meaning};
}

EncodingOption flag_option(const std::string& name, const std::string& default_value,
                           const std::string& meaning) {
  return {name, default_value, {"true", "false"}, {}, meaning};
}

EncodingOption number_or_option(const std::string& name, const std::string& word,
                                const std::string& default_value, const std::string& meaning) {
  return {name, default_value, {word}, 1, meaning};
}

Sharing sharing_of(const OptionValues& values) {
  const std::string& text = values.text("share");
  if (text == "layers") return Sharing::kLayers;
  if (text == "heads") return Sharing::kHeads;
  return text == "all" ? Sharing::kAll : Sharing::kNone;
}

std::optional<int64_t> number_or_none(const OptionValues& values, const std::string& name) {
  const std::string& text = values.text(name);
  if (text.find_first_not_of("0123456789") != std::string::npos) return {};
  return values.number(name);
}

}  // namespace dietmt::encoders
