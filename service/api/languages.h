// Names and scripts of language codes.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::service {

/// The English name; the code itself if CLDR has no name.
std::string language_name(const std::string& code);

/// The share of the text's letters in the scripts of `code`; 0 for a text without letters.
double share_in_script(std::string_view text, const std::string& code);

}  // namespace dietmt::service
