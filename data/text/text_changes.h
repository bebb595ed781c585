// Text as other writers type it: in capitals, with typing errors; and noise.
#pragma once

#include <string>
#include <string_view>

#include "common/random.h"

namespace dietmt::data {

/// All letters in capitals, the first letter of each word in a capital, and no capitals. Words with
/// signs of markup, paths or code, such as `<b>`, `%s` and `user@host`, stay as they are.
std::string upper_cased(std::string_view text);
std::string title_cased(std::string_view text);
std::string lower_cased(std::string_view text);

/// A typing error and another for every 40 characters: in words of four letters or more, a letter
/// after the first is left out, typed twice, or changes places with the one before.
std::string mistyped(std::string_view text, Random& random);

/// One to six words of up to six random characters that Unicode assigns: letters of all scripts,
/// digits, signs, emoji.
std::string noise(Random& random);

}  // namespace dietmt::data
