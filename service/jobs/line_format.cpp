#include "service/jobs/line_format.h"

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text_io.h"

namespace dietmt::service {
namespace {

// Column `number`, from 1; its data() is null if the line has fewer columns.
std::string_view column_of(std::string_view line, int64_t number) {
  for (; number > 1; --number) {
    const size_t tab = line.find('\t');
    if (tab == line.npos) return {};
    line.remove_prefix(tab + 1);
  }
  return line.substr(0, line.find('\t'));
}

std::string replaced(std::string_view line, std::string_view part, std::string_view by) {
  const auto start = static_cast<size_t>(part.data() - line.data());
  return std::string(line.substr(0, start)).append(by).append(line.substr(start + part.size()));
}

LineParts split_tsv(const LineFormat& format, std::string_view line) {
  const std::string_view column = column_of(line, format.column);
  if (column.data() == nullptr)
    return {"", "has fewer than " + std::to_string(format.column) + " columns"};
  return {std::string(column), ""};
}

LineParts split_json(const LineFormat& format, std::string_view line) {
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  if (object.is_discarded()) return {"", "is not valid JSON"};
  if (!object.is_object()) return {"", "is not a JSON object"};
  const auto field = object.find(format.field);
  if (field == object.end()) return {"", "has no field \"" + format.field + "\""};
  if (!field->is_string()) return {"", "field \"" + format.field + "\" is not a string"};
  return {field->get<std::string>(), ""};
}

// The positions of a JSON object's values in its text. Replacing one value there leaves everything
// else unchanged: long numbers, spaces and the order of fields.
struct FieldPositions {
  std::map<std::string, std::string_view> values;  // as written; the last of equal names
  size_t end = 0;                                  // end of the content of the braces
};

constexpr std::string_view kSpaces = " \t\r\n";

// The position after the string that starts at `start`.
size_t end_of_string(std::string_view text, size_t start) {
  size_t i = start + 1;
  while (text.at(i) != '"') i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

// The position after the value that starts at `start`: a comma, a brace, or the spaces before them.
size_t end_of_value(std::string_view text, size_t start) {
  size_t depth = 0;
  for (size_t i = start;;) {
    const char c = text.at(i);
    if (depth == 0 && (c == ',' || c == '}' || kSpaces.find(c) != kSpaces.npos)) return i;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    i = c == '"' ? end_of_string(text, i) : i + 1;
  }
}

// `object`: the text of a valid JSON object, which the views point into.
FieldPositions positions_of_fields(std::string_view object) {
  FieldPositions fields;
  const auto next = [&](size_t from) { return object.find_first_not_of(kSpaces, from); };
  fields.end = object.find('{') + 1;
  for (size_t i = next(fields.end); object.at(i) == '"' || object[i] == ',';) {
    if (object[i] == ',') i = next(i + 1);
    const size_t end_of_name = end_of_string(object, i);
    const std::string name = nlohmann::json::parse(object.substr(i, end_of_name - i));
    const size_t value = next(next(end_of_name) + 1);  // after the colon
    fields.end = end_of_value(object, value);
    fields.values[name] = object.substr(value, fields.end - value);
    i = next(fields.end);
  }
  return fields;
}

// The object with this value, written as JSON, in an existing field or a new last one.
std::string with_field(std::string_view object, const std::string& name, const std::string& value) {
  const FieldPositions fields = positions_of_fields(object);
  const auto field = fields.values.find(name);
  if (field != fields.values.end()) return replaced(object, field->second, value);
  return std::string(object.substr(0, fields.end)) + ", " + nlohmann::json(name).dump() + ": " +
         value + std::string(object.substr(fields.end));
}

// Rounded to what other processors and batches of estimates agree on.
std::string written(double quality) {
  constexpr double kUnits = 1e4;
  return nlohmann::json(std::round(quality * kUnits) / kUnits).dump();
}

std::string join_json(const LineFormat& format, std::string_view line,
                      const std::string& translation, std::optional<double> quality) {
  const bool adds = format.output == LineOutput::kAdd;
  const std::string object = with_field(line, adds ? format.output_field : format.field,
                                        nlohmann::json(replace_invalid_utf8(translation)).dump());
  return quality ? with_field(object, "quality", written(*quality)) : object;
}

}  // namespace

const char* name_of(LineKind kind) {
  return kind == LineKind::kTxt ? "txt" : kind == LineKind::kTsv ? "tsv" : "jsonl";
}

std::optional<LineKind> line_kind(std::string_view name) {
  for (const LineKind kind : kLineKinds)
    if (name == name_of(kind)) return kind;
  return std::nullopt;
}

const char* name_of(LineOutput output) {
  return output == LineOutput::kReplace ? "replace" : "add";
}

LineOutput line_output(const std::string& name) {
  for (const LineOutput output : {LineOutput::kReplace, LineOutput::kAdd})
    if (name == name_of(output)) return output;
  throw RequestError("output: \"" + name + "\" is neither replace nor add");
}

std::optional<LineKind> kind_by_extension(std::string_view file_name) {
  for (const LineKind kind : kLineKinds)
    if (boost::algorithm::iends_with(file_name, std::string(".") + name_of(kind))) return kind;
  return std::nullopt;
}

LineParts split_line(const LineFormat& format, std::string_view line) {
  if (invalid_utf8_at(line) != line.npos) return {"", "is not valid UTF-8"};
  switch (format.kind) {
    case LineKind::kTsv:
      return split_tsv(format, line);
    case LineKind::kJsonl:
      return split_json(format, line);
    default:
      return {std::string(line), ""};
  }
}

std::string join_line(const LineFormat& format, std::string_view line, std::string translation,
                      std::optional<double> quality) {
  if (format.kind == LineKind::kJsonl) return join_json(format, line, translation, quality);
  const bool tabs_count = format.kind == LineKind::kTsv;
  std::replace_if(
      translation.begin(), translation.end(),
      [&](char c) { return c == '\n' || c == '\r' || (tabs_count && c == '\t'); }, ' ');
  if (!tabs_count) return translation;
  if (format.output == LineOutput::kAdd)
    return std::string(line) + "\t" + translation + (quality ? "\t" + written(*quality) : "");
  return replaced(line, column_of(line, format.column), translation);
}

}  // namespace dietmt::service
