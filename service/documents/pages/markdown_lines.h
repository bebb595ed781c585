// What Markdown's processors and templates read in text: it stays as it is.
#pragma once

#include <string_view>
#include <vector>

namespace dietmt::service {

/// The length of the label of a footnote, [^1]:, with which a line begins; 0 without one.
size_t footnote_label(std::string_view line);

/// A line that generators of sites understand, or that only has a template.
bool is_directive(std::string_view line);

/// The second row of a table.
bool is_delimiter_row(std::string_view line);

/// Code of MDX: imports, exports and components.
bool is_mdx(std::string_view text);

/// Templates and other placeholders, references to footnotes, and links of wikis, in order and
/// apart.
std::vector<std::string_view> markdown_kept_in(std::string_view text);

}  // namespace dietmt::service
