// What the two programs have in common: `dietmt`, which starts without LibTorch, and
// `dietmt-torch`.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dietmt::tools {

/// A subcommand: parses, wires and runs, and returns the exit code.
using Command = std::function<int(const std::vector<std::string>& arguments)>;

/// Runs the subcommand that argv names, which `find` knows by its name, or prints help. Returns the
/// exit code; every failure ends in one message without a backtrace.
int run_program(int argc, char** argv, const std::function<Command(const std::string&)>& find);

}  // namespace dietmt::tools
