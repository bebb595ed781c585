// The language of a text, by CLD2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

struct DetectedLanguage {
  std::string code;
  double confidence = 0.0;  // 0 to 1
};

/// The languages of a text in UTF-8 by their share, at most three. The confidence is that share
/// times the measured accuracy for texts of this length. Empty for a text without letters that CLD2
/// knows.
std::vector<DetectedLanguage> identify_languages(std::string_view text);

/// Whether CLD2 knows the name of a language.
bool can_identify(const std::string& code);

/// The confidence that a text is in `expected`, as identify_languages() gives it; 0 if the text is
/// in another language even for a reader who expects this one. Nullopt: too short or mixed to be
/// sure.
std::optional<double> confidence_in(const std::string& expected, std::string_view text);

/// The likeliest language of a text too short to be sure, given that it is probably in one of
/// `expected`. Empty code: none.
DetectedLanguage guess_language(std::string_view text, const std::vector<std::string>& expected);

/// True for two codes of one language, such as pt and pt_BR, and for languages too close to
/// distinguish: Croatian, Serbian and Bosnian, Indonesian and Malay, the two Norwegians.
bool is_same_language(const std::string& one, const std::string& other);

}  // namespace dietmt::data
