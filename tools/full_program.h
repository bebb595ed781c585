// The program with all commands, which loads LibTorch: `dietmt-torch`, in the folder of `dietmt`.
#pragma once

#include <string>
#include <vector>

namespace dietmt::tools {

/// Puts it in the place of this process, so that signals, files and the exit code are its own.
/// Throws Error if it is not there.
[[noreturn]] void run_full_program(const std::string& command,
                                   const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
