#include "service/jobs/json_fields.h"

#include <nlohmann/json.hpp>

namespace dietmt::service {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// Position behind the string that starts at `start`.
size_t end_of_string(std::string_view text, size_t start) {
  size_t i = start + 1;
  while (text.at(i) != '"') i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

// Position behind the value that starts at `start`: at the comma or brace that follows it, or at
// spaces before these.
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

}  // namespace

JsonFields json_fields(std::string_view object) {
  JsonFields fields;
  const auto next = [&](size_t from) { return object.find_first_not_of(kSpaces, from); };
  fields.end = object.find('{') + 1;
  for (size_t i = next(fields.end); object.at(i) == '"' || object[i] == ',';) {
    if (object[i] == ',') i = next(i + 1);
    const size_t end_of_name = end_of_string(object, i);
    const std::string name = nlohmann::json::parse(object.substr(i, end_of_name - i));
    const size_t value = next(next(end_of_name) + 1);  // behind the colon
    fields.end = end_of_value(object, value);
    fields.values[name] = object.substr(value, fields.end - value);
    i = next(fields.end);
  }
  return fields;
}

}  // namespace dietmt::service
