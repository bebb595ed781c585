// Tables of published scores: tab-separated, with a header line.
#pragma once

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/text_io.h"

namespace dietmt::metrics {

using Row = std::map<std::string, std::string>;

inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
  return fields;
}

// The rows of a table with a header line, by column name.
inline std::vector<Row> read_table(const std::filesystem::path& path) {
  const std::vector<std::string> lines = read_lines(path.string());
  const std::vector<std::string> names = fields_of(lines.at(0));
  std::vector<Row> rows;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> values = fields_of(lines[i]);
    Row row;
    for (size_t k = 0; k < names.size(); ++k) row[names[k]] = k < values.size() ? values[k] : "";
    rows.push_back(row);
  }
  return rows;
}

// `value` with as many decimals as `expected` shows, but no fewer than `least`.
inline std::string printed_like(double value, const std::string& expected, int least = 0) {
  const size_t point = expected.find('.');
  const int shown = point == std::string::npos ? 0 : static_cast<int>(expected.size() - point - 1);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", std::max(shown, least), value);
  return text;
}

}  // namespace dietmt::metrics
