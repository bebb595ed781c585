// XML and HTML character references in a line of text: &amp;, &#39;, &eacute;.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dietmt::nmt {

/// Characters and their spellings.
using Spellings = std::vector<std::pair<std::string, std::string>>;

/// Limit, since each spelling is searched for at each character of each sentence; further ones are
/// written as plain characters.
inline constexpr size_t kMostSpellings = 32;

/// The character of a complete reference such as "&#39;": quotes, &amp; and word characters. "" for
/// others, which are placeholders: a translation does not keep spaces such as &nbsp;, and &lt;
/// starts markup.
std::string referenced_character(std::string_view reference);

/// Adds how a character is written, unless it is known or there are too many.
void add_spelling(const std::string& character, std::string_view reference, Spellings& spellings);

/// Replaces all the characters; if one has several spellings, the first wins.
std::string respelled(std::string_view text, const Spellings& spellings);

/// Spellings required in a text with references: & < >.
Spellings basic_spellings();

}  // namespace dietmt::nmt
