// Tags in HTML source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace dietmt::service {

/// ASCII only.
bool is_html_letter(char c);
bool is_html_name_character(char c);
std::string html_lower_case(std::string_view text);

/// The end of the tag that starts at `begin`: after the first `>` outside quotes.
size_t tag_end(std::string_view html, size_t begin);

/// In lower case; "" for an end tag.
std::string tag_name(std::string_view tag);
bool closes_element(std::string_view tag);
/// The element of a start or end tag.
std::string element_of(std::string_view tag);

/// Elements inside a sentence (phrasing content), except <br>: a line break ends a sentence.
bool is_inline_element(std::string_view name);

/// The next attribute of a start tag, starting at byte `at`, which is advanced past it. Its name is
/// in lower case, and empty at the end of the tag.
std::pair<std::string, std::string_view> next_attribute(std::string_view tag, size_t& at);

}  // namespace dietmt::service
