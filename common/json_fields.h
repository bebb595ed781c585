// JSON files, and their fields, which others may have written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace dietmt {

/// Throws Error if the file cannot be read, and CheckpointError naming it if it is not JSON.
nlohmann::json read_json(const std::filesystem::path& path);

/// Whether the value is a whole number of at most 64 bits.
bool is_whole_number(const nlohmann::json& value);

/// Throws CheckpointError unless the value is a whole number.
int64_t whole_number(const nlohmann::json& value);

/// Reads a field of any type; int64_t must be a whole number.
template <typename Field>
void read_field(const nlohmann::json& value, Field& field) {
  if constexpr (std::is_same_v<Field, int64_t>)
    field = whole_number(value);
  else
    value.get_to(field);
}

/// The field `name`, or `otherwise` if it is missing or null.
template <typename Field>
Field field_or(const nlohmann::json& object, const char* name, Field otherwise) {
  if (object.contains(name) && !object.at(name).is_null()) read_field(object.at(name), otherwise);
  return otherwise;
}

}  // namespace dietmt
