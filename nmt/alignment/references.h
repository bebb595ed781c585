// Character references of XML and HTML in a line of text: &amp;, &#39;, &eacute;.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dietmt::nmt {

/// Characters, and how to write them.
using Spellings = std::vector<std::pair<std::string, std::string>>;

/// Further ones are written as themselves: each is searched for at each character, and each
/// sentence of a text has them.
inline constexpr size_t kMostSpellings = 32;

/// The character of a whole reference such as "&#39;": quotes, &amp; and characters of words. Empty
/// for others: they are placeholders, because a translation does not keep spaces such as &nbsp;,
/// and &lt; starts markup.
std::string referenced_character(std::string_view reference);

/// Replaces all of the characters; of several spellings of one the first counts.
std::string respelled(std::string_view text, const Spellings& spellings);

/// What a text that has references must write as such: & < >.
Spellings basic_spellings();

}  // namespace dietmt::nmt
