// Where a report of `dietmt inspect` goes.
#pragma once

#include <spdlog/spdlog.h>

#include <iostream>
#include <string>

#include "common/deflater.h"

namespace dietmt::tools {

inline void write_page(const std::string& path, const std::string& page) {
  write_text_atomically(path, page);
  spdlog::info("wrote {}", path);
}

/// Writes the page to `output`, if that is not empty; prints the JSON if asked for it, or else the
/// text if there is no page. page, json and text make what is needed of them.
template <typename Page, typename Json, typename Text>
void show_report(const std::string& output, bool as_json, const Page& page, const Json& json,
                 const Text& text) {
  if (!output.empty()) write_page(output, page());
  if (as_json) std::cout << json() << '\n';
  if (!as_json && output.empty()) std::cout << text();
}

}  // namespace dietmt::tools
