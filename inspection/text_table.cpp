#include "inspection/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reporting/report_chart.h"

namespace dietmt::inspection {

std::string tab_separated(const TextRows& rows) {
  std::string text;
  for (const auto& row : rows) text += fmt::format("{}\n", fmt::join(row, "\t"));
  return text;
}

std::string html_table(const std::string& title, const TextRows& rows) {
  if (rows.empty()) return "";
  const auto line = [](const std::vector<std::string>& row, const char* tag) {
    std::string html = "<tr>";
    for (const std::string& text : row)
      html += fmt::format("<{0}>{1}</{0}>", tag, reporting::html_escaped(text));
    return html + "</tr>\n";
  };
  std::string html = "<section>";
  if (!title.empty()) html += "<h2>" + reporting::html_escaped(title) + "</h2>\n";
  html += "<div class='scroll'><table><thead>" + line(rows.front(), "th") + "</thead><tbody>\n";
  for (size_t i = 1; i < rows.size(); ++i) html += line(rows[i], "td");
  return html + "</tbody></table></div></section>\n";
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
