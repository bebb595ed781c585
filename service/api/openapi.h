// The OpenAPI document of the service: openapi.json beside this file, and openapi_*.json of the
// other folders, built into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// The documents of the build, the service's own first.
const std::vector<std::string_view>& openapi_parts();

/// One document: the first, with the paths, tags and components of the others. Throws Error for
/// what is no JSON, and for a path or component that two of them define differently.
std::string merged_openapi(const std::vector<std::string_view>& parts);

}  // namespace dietmt::service
