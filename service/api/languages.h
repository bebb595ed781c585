// Names and scripts of language codes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// The English name; the code itself if CLDR has no name.
std::string language_name(const std::string& code);

/// The share of the text's letters in the scripts of `code`; 0 for a text without letters.
double share_in_script(std::string_view text, const std::string& code);

/// The code as a language tag of BCP 47, as LibreTranslate writes it: pt-BR for pt_BR.
std::string language_tag(std::string code);

/// The code of `known` for a client's code, by the lookup of RFC 4647: the same code, ignoring case
/// and with `-` and `_` alike, or else the code without its last subtags; zh-TW finds zh_Hant
/// before zh. If there is none, a code without a region finds one with a region. Also knows the
/// codes of LibreTranslate (pb, zt) and those that ISO 639 has withdrawn. `code` if there is none.
std::string closest_code(const std::string& code, const std::vector<std::string>& known);

struct DetectedLanguage {
  std::string code;
  double confidence = 0.0;  // 0 to 1
};

/// The languages of a text in UTF-8 by their share, at most three. The confidence is that share
/// times the measured accuracy for texts of this length. Empty for a text without letters that CLD2
/// knows.
std::vector<DetectedLanguage> identify_languages(std::string_view text);

/// The likeliest language of a text too short to be sure, given that it is probably in one of
/// `expected`. Empty code: none.
DetectedLanguage guess_language(std::string_view text, const std::vector<std::string>& expected);

/// Why a text whose language was detected stays as it is.
std::string unsupported_warning(const std::string& code);

/// True for two codes of one language, such as pt and pt_BR, and for languages too close to
/// distinguish: Croatian, Serbian and Bosnian, Indonesian and Malay, the two Norwegians.
bool is_same_language(const std::string& one, const std::string& other);

}  // namespace dietmt::service
