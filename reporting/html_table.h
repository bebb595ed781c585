// Tables of HTML pages. Their cells are plain text, which is escaped here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dietmt::reporting {

struct TableCell {
  TableCell(std::string cell_text, bool best = false)  // NOLINT: most cells are just text
      : text(std::move(cell_text)), is_best(best) {}

  std::string text;
  bool is_best = false;  // marked with a star
};

enum class TableKind {
  kNumbers,  // right-aligned, on one line
  kText      // sentences of any language and direction
};

/// A section with the heading, unless that is empty, and the table.
std::string table_section(const std::string& heading, const std::vector<std::string>& columns,
                          const std::vector<std::vector<TableCell>>& rows, TableKind kind);

/// `text` as a page can show it: UTF-8, without control characters, cut after a few lines.
std::string shown_text(std::string_view text);

}  // namespace dietmt::reporting
