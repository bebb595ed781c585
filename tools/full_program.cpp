#include "tools/full_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/error.h"

namespace dietmt::tools {
namespace {

/// Threads that wait for each other look 10,000 times before they sleep. The 300,000 times of
/// OpenMP's library take the cores from other programs, and so from the threads that are waited
/// for, for milliseconds. It reads the variables when it is loaded; a user's own stay.
void shorten_waiting() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "10000", 0);
}

}  // namespace

void run_full_program(const std::string& command, const std::vector<std::string>& arguments) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = self.parent_path() / "dietmt-torch";
  std::vector<std::string> words = {program, command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  shorten_waiting();
  ::execv(program.c_str(), pointers.data());
  throw Error("this needs the program with LibTorch, and " + program +
              " cannot be run: " + std::strerror(errno));
}

}  // namespace dietmt::tools
