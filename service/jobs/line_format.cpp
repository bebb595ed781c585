#include "service/jobs/line_format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text_io.h"
#include "service/jobs/json_fields.h"

namespace dietmt::service {
namespace {

// Column `number`, from 1; its data() is null where the line has fewer.
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

std::string join_json(const LineFormat& format, std::string_view line,
                      const std::string& translation) {
  const std::string value = nlohmann::json(replace_invalid_utf8(translation)).dump();
  const JsonFields fields = json_fields(line);
  const bool adds = format.output == LineOutput::kAdd;
  const auto field = fields.values.find(adds ? format.output_field : format.field);
  if (field != fields.values.end()) return replaced(line, field->second, value);
  return std::string(line.substr(0, fields.end)) + ", " +
         nlohmann::json(format.output_field).dump() + ": " + value +
         std::string(line.substr(fields.end));
}

}  // namespace

const char* name_of(LineKind kind) {
  return kind == LineKind::kTxt ? "txt" : kind == LineKind::kTsv ? "tsv" : "jsonl";
}

LineKind line_kind(const std::string& name) {
  for (const LineKind kind : {LineKind::kTxt, LineKind::kTsv, LineKind::kJsonl})
    if (name == name_of(kind)) return kind;
  throw RequestError("format: \"" + name + "\" is none of txt, tsv, jsonl");
}

const char* name_of(LineOutput output) {
  return output == LineOutput::kReplace ? "replace" : "add";
}

LineOutput line_output(const std::string& name) {
  for (const LineOutput output : {LineOutput::kReplace, LineOutput::kAdd})
    if (name == name_of(output)) return output;
  throw RequestError("output: \"" + name + "\" is none of replace, add");
}

LineKind guess_line_kind(std::string_view file_name) {
  if (file_name.ends_with(".gz")) file_name.remove_suffix(3);
  if (file_name.ends_with(".tsv")) return LineKind::kTsv;
  return file_name.ends_with(".jsonl") ? LineKind::kJsonl : LineKind::kTxt;
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

std::string join_line(const LineFormat& format, std::string_view line, std::string translation) {
  if (format.kind == LineKind::kJsonl) return join_json(format, line, translation);
  const bool tabs_count = format.kind == LineKind::kTsv;
  std::replace_if(
      translation.begin(), translation.end(),
      [&](char c) { return c == '\n' || c == '\r' || (tabs_count && c == '\t'); }, ' ');
  if (!tabs_count) return translation;
  if (format.output == LineOutput::kAdd) return std::string(line) + "\t" + translation;
  return replaced(line, column_of(line, format.column), translation);
}

}  // namespace dietmt::service
