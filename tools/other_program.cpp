#include "tools/other_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/error.h"

namespace dietmt::tools {
namespace {

/// OpenMP's waiting threads spin 300,000 times before they sleep, which takes the cores from other
/// programs, and from the threads they wait for, for milliseconds. The library reads the variables
/// when it is loaded; the user's own settings stay.
void shorten_waiting() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "10000", 0);
}

// `advice` ends the error message.
[[noreturn]] void become(const char* name, const std::string& command,
                         const std::vector<std::string>& arguments, const std::string& advice) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = self.parent_path() / name;
  std::vector<std::string> words = {program, command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Error(program + " cannot be run: " + std::strerror(errno) + "; " + advice);
}

}  // namespace

void run_with_libtorch(const std::string& command, const std::vector<std::string>& arguments) {
  shorten_waiting();
  become("dietmt-torch", command, arguments, "this command needs it: install dietmt-train");
}

void run_server(const std::string& command, const std::vector<std::string>& arguments) {
  become("dietmt-serve", command, arguments, "this command needs it, and it stands beside dietmt");
}

}  // namespace dietmt::tools
