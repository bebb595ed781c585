// Reads JSON files that others may have written, and their fields.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/error.h"

namespace dietmt {

/// Throws CheckpointError if a JSON text is nested so deeply that the library, which copies and
/// prints values recursively, could exhaust the stack.
void require_shallow_json(std::string_view text);

/// Parses a JSON text. Throws CheckpointError if it is not JSON or nested too deeply.
nlohmann::json parse_json(std::string_view text);

/// Throws Error if the file cannot be read, and CheckpointError with its name as parse_json() does.
nlohmann::json read_json(const std::filesystem::path& path);

/// The message of a JSON exception without the library's prefix.
std::string json_problem(const std::exception& error);

/// Returns read(content), where `content` comes from a file. Throws CheckpointError with the file's
/// name if `read` misses something.
template <typename Read>
auto read_as(const std::filesystem::path& path, const nlohmann::json& content, const Read& read) {
  try {
    return read(content);
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  } catch (const nlohmann::json::exception& error) {
    throw CheckpointError(path.string() + ": " + json_problem(error));
  }
}

/// Likewise for a JSON file. Throws also as read_json() does.
template <typename Read>
auto read_json_as(const std::filesystem::path& path, const Read& read) {
  return read_as(path, read_json(path), read);
}

/// The field `name`: of any type, or an object. Throws CheckpointError with the name if it is
/// missing or no object.
const nlohmann::json& any_field(const nlohmann::json& object, const std::string& name);
const nlohmann::json& object_field(const nlohmann::json& object, const std::string& name);

/// Whether the value is an integer of at most 64 bits.
bool is_whole_number(const nlohmann::json& value);

/// Throws CheckpointError if the value is not an integer.
int64_t whole_number(const nlohmann::json& value);

/// A bound of an OptionRule, which is a double and often a whole number.
nlohmann::json json_number(double value);

/// Reads the field `name`: a string, a bool, an integer or any number. Throws CheckpointError with
/// the name if it is missing or has another type.
template <typename Field>
void read_field(const nlohmann::json& object, const char* name, Field& field) {
  constexpr bool kText = std::is_same_v<Field, std::string>, kFlag = std::is_same_v<Field, bool>;
  constexpr bool kWhole = std::is_same_v<Field, int64_t>;
  const nlohmann::json& value = any_field(object, name);
  const bool fits = kText    ? value.is_string()
                    : kFlag  ? value.is_boolean()
                    : kWhole ? is_whole_number(value)
                             : value.is_number();
  const char* const type = kText    ? "text in quotation marks"
                           : kFlag  ? "true or false"
                           : kWhole ? "a whole number"
                                    : "a number";
  if (!fits)
    throw CheckpointError(std::string(name) + " is " + value.dump() + "; it must be " + type);
  value.get_to(field);
}

/// The field `name`, or `otherwise` if it is missing or null.
template <typename Field>
Field field_or(const nlohmann::json& object, const char* name, Field otherwise) {
  if (object.contains(name) && !object.at(name).is_null()) read_field(object, name, otherwise);
  return otherwise;
}

}  // namespace dietmt
