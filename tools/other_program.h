// Commands that another program of dietmt runs.
#pragma once

#include <string>
#include <vector>

namespace dietmt::tools {

/// Replace this process with `dietmt-torch`, or with `dietmt-serve`, from the same directory, so
/// that signals, files and the exit code are those of one program. Throw Error if that program
/// cannot be started.
[[noreturn]] void run_with_libtorch(const std::string& command,
                                    const std::vector<std::string>& arguments);
[[noreturn]] void run_server(const std::string& command, const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
