// Splits HTML into text to translate and markup that stays unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// A part of an HTML text. Joining the parts in order gives the text.
struct MarkupPart {
  std::string_view raw;
  bool is_text;  // false: a tag, a comment, or the content of script, style and similar
                 // elements, an element with translate="no", a reference to no known character
  // Markup inside a sentence: tags and elements such as <b>, <a> and <img>, comments, references.
  bool is_inline = false;
  bool keeps_lines = false;  // inside <pre>, where a line break is no space
};

/// Never fails: a `<` that starts no tag is text, and an unclosed element ends with the text.
std::vector<MarkupPart> split_markup(std::string_view html);

/// Text with its character references (the names of HTML 4, &apos; and numbers) resolved, also
/// without their semicolon if browsers read them so. Others stay as they are.
std::string resolve_references(std::string_view raw);

/// Escapes & < >.
std::string escape_markup(std::string_view text);

}  // namespace dietmt::service
