// Logs go to stderr; stdout carries only results. Code logs with spdlog::info / warn / error.
#pragma once

namespace dietmt {

/// Sends spdlog to stderr with a short pattern (level and message; the time when stderr is a file).
/// The environment variable SPDLOG_LEVEL=debug shows more, SPDLOG_LEVEL=warn less.
void init_logging();

}  // namespace dietmt
