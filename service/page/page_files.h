// The compiled-in files of the page.
#pragma once

#include <span>
#include <string_view>

namespace dietmt::service {

struct PageFile {
  std::string_view name;  // e.g. main.js
  std::string_view content;
};

/// index.html comes first.
std::span<const PageFile> page_files();

}  // namespace dietmt::service
