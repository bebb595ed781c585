// Language codes, their names and their scripts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// In English; the code itself where CLDR has no name.
std::string language_name(const std::string& code);

struct DetectedLanguage {
  std::string code;
  double share = 0.0;  // of the text's letters that are in a script of the language
};

/// How much of the text is in scripts that `code` is written in; 0 for a text without letters.
double share_in_script(std::string_view text, const std::string& code);

/// The one of `candidates` whose scripts hold most of the text's letters, and more than half.
/// Nothing if several share that place: a script tells Greek from English, but not German from
/// English.
std::optional<DetectedLanguage> language_by_script(std::string_view text,
                                                   const std::vector<std::string>& candidates);

}  // namespace dietmt::service
