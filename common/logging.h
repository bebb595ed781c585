// Logs go to stderr; stdout carries only results. Code logs with spdlog::info / warn / error.
#pragma once

#include <string>

namespace dietmt {

/// Sends spdlog to stderr with a short pattern (level and message; the time when stderr is a file).
/// The environment variable SPDLOG_LEVEL=debug shows more, SPDLOG_LEVEL=warn less.
void init_logging();

/// `quiet`: stderr gets only warnings and errors, and no progress bar. All messages are also
/// appended to `file` with the time, unless it is empty. Throws ConfigError if it cannot be opened.
void set_logging(bool quiet, const std::string& file);

/// True after set_logging() with `quiet`.
bool is_quiet();

}  // namespace dietmt
