// Splits HTML into text to translate and markup that stays unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// A part of an HTML text. The parts in order add up to the text.
struct MarkupPart {
  std::string_view raw;
  bool is_text;  // false: a tag, a comment, the content of script, style and similar elements, an
                 // element with translate="no", a reference to an unknown character
  // Markup inside a sentence: tags and elements such as <b>, <a> and <img>, comments, references.
  bool is_inline = false;
  bool keeps_lines = false;  // inside <pre>, where a line break is not a space
};

/// Never fails: a `<` that starts no tag is text, and an unclosed element ends with the text.
std::vector<MarkupPart> split_markup(std::string_view html);

/// Resolves character references (the names of HTML 4, &apos; and numbers), without a semicolon
/// where browsers accept that. Others stay unchanged.
std::string resolve_references(std::string_view raw);

/// Escapes & < >.
std::string escape_markup(std::string_view text);

}  // namespace dietmt::service
