// Where warnings of the library go.
#pragma once

#include "dietmt/error.h"

namespace dietmt {

/// Sends the library's warnings to standard error. By default they go to spdlog's default logger,
/// which writes to standard output unless the program has set another one. SPDLOG_LEVEL (error,
/// warn, info) in the environment sets the level. The Python package calls this.
DIETMT_API void log_to_stderr();

}  // namespace dietmt
