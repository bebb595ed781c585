// The tags of HTML, as their author wrote them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace dietmt::service {

/// Of ASCII.
bool is_html_letter(char c);
bool is_html_name_character(char c);
std::string html_lower_case(std::string_view text);

/// The end of the tag that starts at `begin`: after the first `>` outside quotes.
size_t tag_end(std::string_view html, size_t begin);

/// In lower case; empty for an end tag.
std::string tag_name(std::string_view tag);
bool closes_element(std::string_view tag);
/// Of a start tag or an end tag.
std::string element_of(std::string_view tag);

/// Elements inside a sentence (phrasing content), without <br>: a line break ends a sentence.
bool is_inline_element(std::string_view name);

/// The next attribute of a start tag, from byte `at` on, which moves behind it. Its name is in
/// lower case and empty at the end of the tag.
std::pair<std::string, std::string_view> next_attribute(std::string_view tag, size_t& at);

}  // namespace dietmt::service
