#include "inspection/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reporting/html_table.h"

namespace dietmt::inspection {

std::string tab_separated(const TextRows& rows) {
  std::string text;
  for (const auto& row : rows) text += fmt::format("{}\n", fmt::join(row, "\t"));
  return text;
}

std::string html_table(const std::string& title, const TextRows& rows) {
  if (rows.empty()) return "";
  std::vector<std::vector<reporting::TableCell>> cells;
  for (size_t i = 1; i < rows.size(); ++i) cells.emplace_back(rows[i].begin(), rows[i].end());
  return reporting::table_section(title, rows.front(), cells, reporting::TableKind::kNumbers);
}

std::vector<std::string> split_text(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace dietmt::inspection
