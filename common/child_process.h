// Other programs, whose output this one reads.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

/// The path of a program in the directories of the variable PATH; "" if none has it.
std::string program_on_path(const std::string& name);

struct ChildProgram {
  std::vector<std::string> words;              // the program's path, then its arguments
  std::optional<std::string_view> input = {};  // standard input; unset: that of this process
  std::optional<uint64_t> most_memory = {};    // bytes of address space
  std::optional<std::chrono::seconds> most_time = {};  // of its processor
  bool is_silent = false;  // what it writes to standard error is dropped
};

/// Runs a program and gives `output` the pieces of its standard output. Returns its exit code, or
/// the negative number of the signal that ended it; over a limit, that is SIGXCPU, SIGKILL or what
/// the program does without memory. Ends it, and throws, when check_interruption() or `output`
/// throws, and Error if it cannot be started.
int run_child(const ChildProgram& program, const std::function<void(std::string_view)>& output);

}  // namespace dietmt
