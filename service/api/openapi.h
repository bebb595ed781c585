// The OpenAPI document of the service: openapi.json in this folder and openapi_*.json of the other
// folders, compiled into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// The compiled-in documents, openapi.json first.
const std::vector<std::string_view>& openapi_parts();

/// The first document, with the paths, tags and components of the others. Throws Error for invalid
/// JSON and for a path or component that two documents define differently.
std::string merged_openapi(const std::vector<std::string_view>& parts);

}  // namespace dietmt::service
