// Where warnings of the library go.
#pragma once

#include "dietmt/error.h"

namespace dietmt {

/// The library warns by spdlog's default logger, which writes to standard output unless the program
/// has set another one. This sends it to standard error; the environment variable SPDLOG_LEVEL
/// (error, warn, info) says how much. The Python package calls it.
DIETMT_API void log_to_stderr();

}  // namespace dietmt
