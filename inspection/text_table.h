// Tables of text for the reports of several models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::inspection {

/// The first row is the header.
using TextRows = std::vector<std::vector<std::string>>;

/// Rows of tab-separated values.
std::string tab_separated(const TextRows& rows);

/// A section of a page; `title` may be empty. Empty if there are no rows.
std::string html_table(const std::string& title, const TextRows& rows);

/// The parts of `text` between separators, at least one.
std::vector<std::string> split_text(std::string_view text, char separator);

}  // namespace dietmt::inspection
