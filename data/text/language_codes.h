// Codes of languages: what clients, models and other toolkits call them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// The English name; the code itself if CLDR has no name.
std::string language_name(const std::string& code);

/// The code as a language tag of BCP 47, as LibreTranslate writes it: pt-BR for pt_BR.
std::string language_tag(std::string code);

/// The primary subtag of a code, without script and region: pt for pt-BR, eng for eng_Latn.
std::string_view primary_language(std::string_view code);

/// The shortest BCP 47 tag of a code of ISO 639, FLORES (eng_Latn) or mBART (en_XX): without the
/// script and region that CLDR expects; en, zh, zh-Hant, sr-Latn, fa-AF.
std::string canonical_code(const std::string& code);

/// canonical_code() of a code in any case or of an English name; nothing if CLDR does not know it.
std::optional<std::string> known_language(const std::string& given);

/// The code of `known` for a client's code, by the lookup of RFC 4647: the same code, ignoring case
/// and with `-` and `_` alike, or else the code without its last subtags; zh-TW finds zh_Hant
/// before zh. If there is none, a code without a region finds one with a region, a code one with
/// the same canonical_code(), and an English name its language. Also knows the codes of
/// LibreTranslate (pb, zt) and those that ISO 639 has withdrawn. `code` if there is none.
std::string closest_code(const std::string& code, const std::vector<std::string>& known);

}  // namespace dietmt::data
