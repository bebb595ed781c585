#include "data/tasks/record_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/numbers.h"
#include "data/tasks/task_table.h"

namespace dietmt::data {
namespace {

// A column by its number from 1; kNoColumn if `text` is not such a number.
int64_t numbered_column(const std::string& text) {
  const int64_t number = number_in<int64_t>(text).value_or(0);
  return number >= 1 ? number - 1 : kNoColumn;
}

int64_t column_of(const std::string& name, const std::vector<std::string>& header) {
  if (name.empty()) return kNoColumn;
  const auto found = std::ranges::find(header, name);
  if (found != header.end()) return found - header.begin();
  const int64_t column = numbered_column(name);
  return column < std::ssize(header) ? column : kNoColumn;
}

// Names of the columns that a file of this layout must have.
std::vector<std::string> needed_names(const TableLayout& layout, const ReadOptions& options) {
  std::vector<std::string> names;
  for (const std::string* name : {&layout.first, &layout.second, &layout.language})
    if (!name->empty()) names.push_back(with_language(*name, options.language));
  return names;
}

bool has_all(const std::vector<std::string>& header, const std::vector<std::string>& names) {
  return std::ranges::all_of(
      names, [&](const std::string& name) { return column_of(name, header) != kNoColumn; });
}

Columns columns_of(const TableLayout& layout, const std::vector<std::string>& header,
                   const ReadOptions& options) {
  const auto column = [&](const std::string& name) {
    return layout.header ? column_of(with_language(name, options.language), header)
                         : numbered_column(name);
  };
  Columns columns;
  columns.layout = &layout;
  columns.first = column(layout.first);
  columns.second = column(layout.second);
  columns.id = column(layout.id);
  columns.language = column(layout.language);
  if (options.labels != LabelUse::kIgnored) columns.label = column(layout.label);
  const bool as_first_row = layout.header || layout.max_columns == 0;
  columns.min_count = as_first_row ? std::ssize(header) : layout.min_columns;
  columns.max_count = as_first_row ? std::ssize(header) : layout.max_columns;
  return columns;
}

// A layout without header names its columns by numbers that every row has.
void check_numbers(const TableLayout& layout) {
  for (const std::string* name :
       {&layout.first, &layout.second, &layout.label, &layout.id, &layout.language}) {
    if (name->empty()) continue;
    const int64_t column = numbered_column(*name);
    if (column == kNoColumn || column >= layout.min_columns)
      throw ConfigError("column " + quoted(*name) + " of a file without header: expected 1 to " +
                        std::to_string(layout.min_columns));
  }
}

std::string expectation(const TableLayout& layout, const ReadOptions& options) {
  if (!layout.header) {
    std::string count = std::to_string(layout.min_columns);
    if (layout.max_columns == 0)
      count = "at least " + count;
    else if (layout.max_columns != layout.min_columns)
      count += " to " + std::to_string(layout.max_columns);
    return count + " columns without a header";
  }
  std::vector<std::string> names = needed_names(layout, options);
  if (options.labels == LabelUse::kRequired && !layout.label.empty()) names.push_back(layout.label);
  return "a header with " + quoted_list(names);
}

[[noreturn]] void fail_without_layout(const std::string& where,
                                      const std::vector<TableLayout>& layouts,
                                      const ReadOptions& options) {
  std::string expected;
  for (const TableLayout& layout : layouts)
    expected += (expected.empty() ? "" : ", or ") + expectation(layout, options);
  throw DataError(where + ": expected " + expected);
}

using nlohmann::ordered_json;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

ordered_json parse_object(const std::string& line, const std::string& where) {
  ordered_json object;
  try {
    require_shallow_json(line);
    object = ordered_json::parse(line);
  } catch (const CheckpointError& error) {
    throw DataError(where + ": " + error.what());
  } catch (const ordered_json::exception& error) {
    throw DataError(where + ": not JSON: " + json_problem(error));
  }
  if (!object.is_object()) throw DataError(where + ": expected a JSON object");
  return object;
}

std::string text_of(const ordered_json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted(text);
  return list;
}

void check_layouts(const std::vector<TableLayout>& layouts, const Target& target,
                   const ReadOptions& options) {
  if (layouts.empty()) throw ConfigError("this task does not read tables");
  for (const TableLayout& layout : layouts) {
    if (layout.first.empty()) throw ConfigError("the column of the first text is missing");
    if (layout.label.empty() && options.labels == LabelUse::kRequired)
      throw ConfigError("the column of the labels is missing");
    if (!layout.label_texts.empty() && layout.label_texts.size() != target.labels.size())
      throw ConfigError(std::to_string(layout.label_texts.size()) + " texts of labels for " +
                        std::to_string(target.labels.size()) + " labels");
    if (layout.header) continue;
    if (layout.format == RecordFormat::kJsonLines)
      throw ConfigError("JSON lines cannot lack a header: each line names its columns");
    check_numbers(layout);
  }
}

Columns match_columns(const std::vector<TableLayout>& layouts,
                      const std::vector<std::string>& first_row, const ReadOptions& options,
                      const std::string& where) {
  for (const TableLayout& layout : layouts) {
    if (layout.header && has_all(first_row, needed_names(layout, options)))
      return columns_of(layout, first_row, options);
  }
  for (const TableLayout& layout : layouts) {
    const int64_t count = std::ssize(first_row);
    if (!layout.header && count >= layout.min_columns &&
        (count <= layout.max_columns || layout.max_columns == 0))
      return columns_of(layout, first_row, options);
  }
  fail_without_layout(where, layouts, options);
}

RecordReader::RecordReader(const std::string& path, RecordFormat format)
    : path_(path == "-" ? "<stdin>" : path), lines_(path), format_(format) {}

void RecordReader::use(const Columns& columns) {
  format_ = columns.layout->format;
  needed_ = {columns.first, columns.second, columns.label, columns.id, columns.language};
}

std::string RecordReader::where() const { return path_ + ":" + std::to_string(line_number_); }

bool RecordReader::next_line(std::string& line) {
  if (!lines_.next(line)) return false;
  if (lines_.line_number() == 1 && line.starts_with(kByteOrderMark))
    line.erase(0, kByteOrderMark.size());
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

bool RecordReader::next(std::vector<std::string>& fields) {
  fields.clear();
  if (format_ == RecordFormat::kJsonLines) return next_object(fields);
  std::string line;
  if (!next_line(line)) return false;
  line_number_ = lines_.line_number();
  if (format_ == RecordFormat::kTsv)
    split_plain(line, fields);
  else
    split_quoted(std::move(line), format_ == RecordFormat::kCsv ? ',' : '\t', fields);
  return true;
}

void RecordReader::split_plain(std::string_view line, std::vector<std::string>& fields) const {
  for (;;) {
    const size_t tab = line.find('\t');
    fields.emplace_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return;
    line.remove_prefix(tab + 1);
  }
}

// A quoted field may span lines; a quote inside it is doubled.
void RecordReader::split_quoted(std::string line, char separator,
                                std::vector<std::string>& fields) {
  fields.emplace_back();
  bool quoted = false;
  for (size_t i = 0;;) {
    if (i == line.size()) {
      if (!quoted) return;
      fields.back() += '\n';
      if (!next_line(line)) throw DataError(where() + ": unclosed quote");
      i = 0;
      continue;
    }
    const char c = line[i++];
    if (c == '"' && quoted && i < line.size() && line[i] == '"') {
      fields.back() += line[i++];
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
}

bool RecordReader::next_object(std::vector<std::string>& fields) {
  std::string line = std::exchange(first_object_, "");
  while (line.empty()) {
    if (!next_line(line)) return false;
  }
  line_number_ = lines_.line_number();
  const ordered_json object = parse_object(line, where());
  if (names_.empty()) {
    for (const auto& [name, value] : object.items()) names_.push_back(name);
    fields = names_;
    first_object_ = std::move(line);
    return true;
  }
  for (int64_t column = 0; column < std::ssize(names_); ++column) {
    const std::string& name = names_[static_cast<size_t>(column)];
    const auto value = object.find(name);
    if (value == object.end() && std::ranges::count(needed_, column) > 0)
      throw DataError(where() + ": the object has no \"" + name + "\"");
    fields.push_back(value == object.end() ? "" : text_of(*value));
  }
  return true;
}

}  // namespace dietmt::data
