#include "data/tasks/record_reader.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"

namespace dietmt::data {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

ordered_json parse_object(const std::string& line, const std::string& where) {
  ordered_json object;
  try {
    object = ordered_json::parse(line);
  } catch (const ordered_json::exception& error) {
    throw DataError(where + ": not JSON: " + error.what());
  }
  if (!object.is_object()) throw DataError(where + ": expected a JSON object");
  return object;
}

std::string text_of(const ordered_json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

RecordReader::RecordReader(const std::string& path, RecordFormat format)
    : path_(path == "-" ? "<stdin>" : path), lines_(path), format_(format) {}

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
  for (const std::string& name : names_) {
    const auto value = object.find(name);
    if (value == object.end()) throw DataError(where() + ": the object has no \"" + name + "\"");
    fields.push_back(text_of(*value));
  }
  return true;
}

}  // namespace dietmt::data
