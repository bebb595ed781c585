// The subset of JSON Schema that the service's OpenAPI documents use.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dietmt::service {

/// Problems of a value with a schema of `document`.
class SchemaCheck {
 public:
  /// `may_have_more`: values may have members that the schema does not name.
  explicit SchemaCheck(const nlohmann::json& document, bool may_have_more = false)
      : document_(document), may_have_more_(may_have_more) {}

  std::vector<std::string> problems(const nlohmann::json& value, const nlohmann::json& schema) {
    found_.clear();
    check(value, schema, "answer");
    return found_;
  }

 private:
  static bool has_type(const nlohmann::json& value, const nlohmann::json& type) {
    if (type.is_array()) {
      return std::any_of(type.begin(), type.end(),
                         [&](const nlohmann::json& one) { return has_type(value, one); });
    }
    if (type == "null") return value.is_null();
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "boolean" && value.is_boolean();
  }

  void check(const nlohmann::json& value, const nlohmann::json& schema, const std::string& where) {
    if (schema.contains("$ref"))
      return check(
          value,
          document_.at(nlohmann::json::json_pointer(schema["$ref"].get<std::string>().substr(1))),
          where);
    if (schema.contains("oneOf")) return check_choice(value, schema["oneOf"], where);
    if (schema.contains("type") && !has_type(value, schema["type"]))
      found_.push_back(where + " is no " + schema["type"].dump());
    if (schema.contains("const") && value != schema["const"])
      found_.push_back(where + " is not " + schema["const"].dump());
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      found_.push_back(where + " is none of the values");
    for (const nlohmann::json& name : schema.value("required", nlohmann::json::array())) {
      if (!value.contains(name.get<std::string>()))
        found_.push_back(where + " lacks " + name.get<std::string>());
    }
    if (value.is_object() && schema.contains("properties")) check_members(value, schema, where);
    if (value.is_array() && schema.contains("items")) {
      for (const nlohmann::json& item : value) check(item, schema["items"], where + "[]");
    }
  }

  void check_members(const nlohmann::json& value, const nlohmann::json& schema,
                     const std::string& where) {
    for (const auto& [name, member] : value.items()) {
      if (schema["properties"].contains(name))
        check(member, schema["properties"][name], where + "." + name);
      else if (!may_have_more_)
        found_.push_back(where + "." + name + " is not documented");
    }
  }

  void check_choice(const nlohmann::json& value, const nlohmann::json& choices,
                    const std::string& where) {
    for (const nlohmann::json& choice : choices) {
      SchemaCheck one(document_, may_have_more_);
      if (one.problems(value, choice).empty()) return;
    }
    found_.push_back(where + " is like none of the choices");
  }

  const nlohmann::json& document_;
  const bool may_have_more_;
  std::vector<std::string> found_;
};

}  // namespace dietmt::service
