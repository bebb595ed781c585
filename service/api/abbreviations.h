// Full stops that end no sentence, though the rules of Unicode see an end.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dietmt::service {

class Abbreviations {
 public:
  /// `language`: its code, a region or script behind it. The general rules alone hold for a
  /// language without a table of its own.
  explicit Abbreviations(const std::string& language);

  /// True if the sentence `text`, which ends where the rules see an end, goes on in `rest`.
  bool continues(std::string_view text, std::string_view rest) const;

 private:
  std::span<const std::string_view> words_;
  bool ordinals_ = false;  // the language writes "3." for "third"
};

}  // namespace dietmt::service
