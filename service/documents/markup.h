// Splits HTML into text to translate and markup that stays unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nmt/alignment/references.h"
#include "service/documents/translation_scopes.h"

namespace dietmt::service {

/// A part of an HTML text. The parts in order add up to the text.
struct MarkupPart {
  std::string_view raw;
  bool is_text;  // false: a tag, a comment, the content of script, style and similar elements, an
                 // element that is not translated, a reference to an unknown character
  // Markup inside a sentence: tags and elements such as <b>, <a> and <img>, comments, references.
  bool is_inline = false;
  bool keeps_lines = false;     // inside <pre>, where a line break is not a space
  bool has_attributes = false;  // a start tag whose attributes are translated
  bool is_component = false;    // a tag of MDX
};

/// Never fails: a `<` that starts no tag is text, and an unclosed element ends with the text.
/// TranslationScopes says which elements are not translated; <pre> is one of them if it looks like
/// code.
std::vector<MarkupPart> split_markup(std::string_view html, const LanguagePair& languages = {});

/// Resolves character references (the names of HTML 4, &apos; and numbers), without a semicolon
/// where browsers accept that. Others stay unchanged. `spellings` gets the references.
std::string resolve_references(std::string_view raw);
std::string resolve_references(std::string_view raw, nmt::Spellings& spellings);

/// Escapes & < >.
std::string escape_markup(std::string_view text);
/// Likewise for an attribute, with its double quotes.
std::string attribute_value(const std::string& text);

}  // namespace dietmt::service
