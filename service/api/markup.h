// HTML as text to translate and everything else, which stays as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// A part of an HTML text. Parts joined in order are the text.
struct MarkupPart {
  std::string_view raw;
  bool is_text;  // false: a tag, a comment, or what stands inside script, style and the like
};

/// Never fails: a `<` that starts no tag is text, what is not closed ends with the text.
std::vector<MarkupPart> split_markup(std::string_view html);

/// Text with its character references (&amp; &lt; &gt; &quot; &apos; &nbsp; and numbers) resolved;
/// others stay as they are.
std::string resolve_references(std::string_view raw);

/// The opposite for what must not stand in HTML text: & < >.
std::string escape_markup(std::string_view text);

}  // namespace dietmt::service
