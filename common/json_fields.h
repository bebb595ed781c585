// Fields of JSON files that others may have written.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace dietmt {

/// Whether the value is a whole number that 64 bits hold.
bool is_whole_number(const nlohmann::json& value);

/// Throws CheckpointError unless the value is one.
int64_t whole_number(const nlohmann::json& value);

/// Reads a field of any type; one of type int64_t by whole_number().
template <typename Field>
void read_field(const nlohmann::json& value, Field& field) {
  if constexpr (std::is_same_v<Field, int64_t>)
    field = whole_number(value);
  else
    value.get_to(field);
}

/// The field of this name; `otherwise` if the object has none, or null.
template <typename Field>
Field field_or(const nlohmann::json& object, const char* name, Field otherwise) {
  if (object.contains(name) && !object.at(name).is_null()) read_field(object.at(name), otherwise);
  return otherwise;
}

}  // namespace dietmt
