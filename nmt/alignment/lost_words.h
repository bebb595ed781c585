#pragma once

#include <string_view>

namespace dietmt::nmt {

/// Whether a translation of a text with letters has none, nor any digit or sign for words, such as
/// % and №, that the text lacks: "7.12." for "7.12. uscan", "-" for "Оглавление", but not "10 %"
/// for "10 percent".
bool has_lost_words(std::string_view translation, std::string_view source);

}  // namespace dietmt::nmt
