#include "service/http/cors.h"

#include <algorithm>

namespace dietmt::service {

std::vector<std::pair<std::string, std::string>> CorsPolicy::fields(
    const std::string& origin) const {
  if (origins_.empty()) return {};
  std::vector<std::pair<std::string, std::string>> fields;
  if (!has("*")) fields.emplace_back("Vary", "Origin");
  if (!has("*") && !has(origin)) return fields;
  fields.emplace_back("Access-Control-Allow-Origin", has("*") ? "*" : origin);
  fields.emplace_back("Access-Control-Expose-Headers", "Retry-After, X-Request-ID");
  return fields;
}

bool CorsPolicy::has(const std::string& origin) const {
  return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

}  // namespace dietmt::service
