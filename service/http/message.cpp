#include "service/http/message.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <nlohmann/json.hpp>
#include <regex>

namespace dietmt::service {

const std::string& RequestHead::field(std::string_view name) const {
  static const std::string kNone;
  for (const auto& [field, value] : fields)
    if (boost::beast::iequals({field.data(), field.size()}, {name.data(), name.size()}))
      return value;
  return kNone;
}

std::string error_body(const std::string& text) {
  return nlohmann::json{{"error", text}}.dump(-1, ' ', false,
                                              nlohmann::json::error_handler_t::replace);
}

Answer fault_answer(int status, const std::string& text, int retry_after) {
  Answer answer{.status = status, .body = error_body(text)};
  if (status == 503) answer.headers = {{"Retry-After", std::to_string(retry_after)}};
  return answer;
}

std::vector<std::pair<std::string, std::string>> CorsPolicy::fields(
    const std::string& origin) const {
  if (origins_.empty()) return {};
  std::vector<std::pair<std::string, std::string>> fields;
  if (!has("*")) fields.emplace_back("Vary", "Origin");
  if (!allows(origin)) return fields;
  fields.emplace_back("Access-Control-Allow-Origin", has("*") ? "*" : origin);
  fields.emplace_back("Access-Control-Expose-Headers",
                      "Retry-After, X-Request-ID, X-Segments, X-Left-Out");
  return fields;
}

bool CorsPolicy::is_origin(const std::string& text) {
  static const std::regex origin(
      R"([a-z][a-z0-9+.-]*://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?)");
  return text == "*" || std::regex_match(text, origin);
}

bool CorsPolicy::has(const std::string& origin) const {
  return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

}  // namespace dietmt::service
