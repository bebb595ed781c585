// The fields of a request's body, whichever of the three forms it has: JSON, URL-encoded,
// multipart.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "service/api/exchange.h"

namespace dietmt::service {

/// Wrong types and missing fields throw HttpError 400 with the field's name.
class Fields {
 public:
  /// An empty body has no fields. Throws HttpError: 400 for JSON that does not parse (with line and
  /// column) or is no object, and text that is not UTF-8 (with the byte); 415 for other types.
  explicit Fields(const Call& call);

  /// Of a JSON object.
  explicit Fields(nlohmann::json object) : values_(std::move(object)) {}

  /// 415 for anything but JSON.
  static Fields of_json(const Call& call);

  bool has(const std::string& name) const;
  std::string text(const std::string& name) const;
  std::string text_or(const std::string& name, const std::string& otherwise) const;
  bool flag_or(const std::string& name, bool otherwise) const;
  double number_or(const std::string& name, double otherwise) const;

  /// Also refuses what lies outside least .. most.
  int64_t integer_or(const std::string& name, int64_t otherwise, int64_t least, int64_t most) const;

  /// A string or a list of strings.
  std::vector<std::string> texts(const std::string& name) const;
  bool is_list(const std::string& name) const;

  /// Throws HttpError for the first field that is none of these.
  void allow_only(const std::vector<std::string_view>& names) const;

 private:
  const nlohmann::json& required(const std::string& name) const;

  nlohmann::json values_ = nlohmann::json::object();
  bool from_form_ = false;  // all values are strings
};

}  // namespace dietmt::service
