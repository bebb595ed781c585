#include "common/json_fields.h"

#include <limits>

#include "common/files.h"

namespace dietmt {

nlohmann::json read_json(const std::filesystem::path& path) {
  try {
    return nlohmann::json::parse(read_file(path));
  } catch (const nlohmann::json::exception& error) {
    throw CheckpointError(path.string() + ": is not valid JSON: " + json_problem(error));
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

}  // namespace dietmt
