// The page at `/`, for people: live translation, n-best lists, attention maps and file jobs in a
// browser. It is a client of the HTTP API like any other; its files are part of the program.
#pragma once

#include <vector>

#include "service/api/router.h"

namespace dietmt::service {

/// `/` and what the page needs below `/page/`. The page calls /frontend/settings,
/// /languages, /v1/translate, /v1/jobs and /v1/analyze, relative to its own address, so that a
/// proxy may put all of them under a prefix. Its content security policy lets it load and call
/// nothing else. What browsers heed of all answers alike is the server's part (api/router.h).
std::vector<Route> page_routes();

}  // namespace dietmt::service
