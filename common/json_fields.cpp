#include "common/json_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/files.h"
#include "common/option_rule.h"

namespace dietmt {

namespace {

constexpr int64_t kMostNested = 500;

// Depth of the brackets outside strings.
int64_t nesting(std::string_view text) {
  int64_t depth = 0, deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

}  // namespace

void require_shallow_json(std::string_view text) {
  if (nesting(text) > kMostNested)
    throw CheckpointError("is nested more than " + std::to_string(kMostNested) + " levels deep");
}

nlohmann::json parse_json(std::string_view text) {
  require_shallow_json(text);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw CheckpointError("is not valid JSON: " + json_problem(error));
  }
}

nlohmann::json read_json(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  try {
    return parse_json(text);
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
}

std::string json_problem(const std::exception& error) {
  const std::string text = error.what();  // "[json.exception....] parse error at line 1, ..."
  return text.starts_with("[json.exception") ? text.substr(text.find("] ") + 2) : text;
}

const nlohmann::json& any_field(const nlohmann::json& object, const std::string& name) {
  if (!object.contains(name)) throw CheckpointError(name + " is missing");
  return object.at(name);
}

const nlohmann::json& object_field(const nlohmann::json& object, const std::string& name) {
  const nlohmann::json& value = any_field(object, name);
  if (!value.is_object())
    throw CheckpointError(name + " is " + value.dump() + "; it must be an object, {...}");
  return value;
}

bool is_whole_number(const nlohmann::json& value) {
  constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<uint64_t>() <= kLargest);
}

int64_t whole_number(const nlohmann::json& value) {
  if (!is_whole_number(value)) throw CheckpointError(value.dump() + " is not a whole number");
  return value.get<int64_t>();
}

nlohmann::json json_number(double value) {
  if (value == std::floor(value)) return nearest_whole(value);
  return value;
}

}  // namespace dietmt
