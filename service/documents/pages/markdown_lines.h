// What Markdown's processors and templates read in text: it stays as it is.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace dietmt::service {

/// The length of the label of a footnote, [^1]:, with which a line begins; 0 without one.
size_t footnote_label(std::string_view line);

/// The length of what a line begins with, if its text is separate from that of the lines before it:
/// the label of a footnote ([^1]:), a definition (:), an abbreviation (*[HTML]:) or a note
/// ([!TIP]-); 0: there is none.
size_t line_label(std::string_view line);

/// Whether the lines after this one that are indented are text: those of a footnote, a definition,
/// an admonition (!!! note) or a tab (=== "Tab").
bool begins_indented_block(std::string_view line);

/// A line that generators of sites understand, or that only has a template.
bool is_directive(std::string_view line);

/// The bytes of the title of an admonition, in !!! note "Title", :::tip Title and :::tip[Title].
std::optional<std::pair<size_t, size_t>> directive_title(std::string_view line);

/// The second row of a table.
bool is_delimiter_row(std::string_view line);

/// Imports and exports of MDX.
bool is_mdx(std::string_view text);

/// Whether the text has a component with an expression, <Icon size={20}/>.
bool has_component(std::string_view text);

/// Templates and other placeholders, attributes ({: .class}), comments and expressions of MDX,
/// references to footnotes, and links of wikis, in order and apart.
std::vector<std::string_view> markdown_kept_in(std::string_view text);

}  // namespace dietmt::service
