// The web page at `/`: live translation, n-best lists, attention maps and batch jobs. It uses the
// HTTP API like any other client; its files are compiled into the program.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "service/api/router.h"

namespace dietmt::service {

/// `/`, and the page's files below `/page/`. The page calls /frontend/settings, /languages,
/// /v1/translate, /v1/jobs and /v1/analyze relative to its own address, so that a proxy can put
/// them all under a prefix. Its content security policy forbids all other requests. The router sets
/// the security headers common to all answers (api/router.h).
std::vector<Route> page_routes();

/// A compiled-in file of the page.
struct PageFile {
  std::string_view name;  // e.g. main.js
  std::string_view content;
};

/// index.html comes first.
std::span<const PageFile> page_files();

}  // namespace dietmt::service
