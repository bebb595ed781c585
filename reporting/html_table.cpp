#include "reporting/html_table.h"

#include "common/text_io.h"
#include "reporting/report_chart.h"

namespace dietmt::reporting {

std::string table_section(const std::string& heading, const std::vector<std::string>& columns,
                          const std::vector<std::vector<TableCell>>& rows, TableKind kind) {
  const bool is_text = kind == TableKind::kText;
  std::string html = "<section>";
  if (!heading.empty()) html += "<h2>" + html_escaped(heading) + "</h2>\n";
  html += is_text ? "<div class='scroll'><table><thead><tr>"
                  : "<div class='scroll'><table class='scores'><thead><tr>";
  for (const std::string& column : columns) html += "<th>" + html_escaped(column) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const std::vector<TableCell>& row : rows) {
    html += "<tr>";
    for (const TableCell& cell : row) {
      if (cell.is_best)
        html += "<td class='best' title='the best'>\u2605 ";
      else
        html += is_text ? "<td dir='auto'>" : "<td>";
      html += html_escaped(cell.text) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></section>\n";
}

std::string shown_text(std::string_view text) {
  constexpr size_t kMostBytes = 400;
  std::string cut(text.size() > kMostBytes ? text.substr(0, cut_length(text, kMostBytes)) : text);
  cut = replace_invalid_utf8(cut);
  for (char& byte : cut)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = ' ';
  return text.size() > kMostBytes ? cut + "…" : cut;
}

}  // namespace dietmt::reporting
