// The front matter of Hugo and Zola: TOML between lines of +++.
#pragma once

#include <memory>
#include <string_view>

#include "service/documents/document.h"

namespace dietmt::service {

/// Strings on one line without escapes that are values of title, description and summary.
std::unique_ptr<Document> open_toml_front_matter(std::string_view text);

}  // namespace dietmt::service
