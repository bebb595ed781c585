// Language codes, their names and their scripts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// The English name; the code itself if CLDR has no name.
std::string language_name(const std::string& code);

struct DetectedLanguage {
  std::string code;
  double share = 0.0;  // of the text's letters that are in a script of the language
};

/// The share of the text's letters in the scripts of `code`; 0 for a text without letters.
double share_in_script(std::string_view text, const std::string& code);

/// The candidate whose scripts contain most of the text's letters, and more than half of them.
/// Nothing if several candidates tie: a script distinguishes Greek from English, but not German
/// from English.
std::optional<DetectedLanguage> language_by_script(std::string_view text,
                                                   const std::vector<std::string>& candidates);

}  // namespace dietmt::service
