// Abbreviations: full stops that the Unicode rules mistake for the end of a sentence.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dietmt::service {

class Abbreviations {
 public:
  /// `language`: a code, with or without a region or script. Languages without a table use only the
  /// general rules.
  explicit Abbreviations(const std::string& language);

  /// True if `text`, a sentence by the Unicode rules, continues in `rest`.
  bool continues(std::string_view text, std::string_view rest) const;

 private:
  std::span<const std::string_view> words_;
  bool ordinals_ = false;  // the language writes "3." for "third"
};

}  // namespace dietmt::service
