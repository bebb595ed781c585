#include "tools/full_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/error.h"

namespace dietmt::tools {

void run_full_program(const std::string& command, const std::vector<std::string>& arguments) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = self.parent_path() / "dietmt-torch";
  std::vector<std::string> words = {program, command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Error("this needs the program with LibTorch, and " + program +
              " cannot be run: " + std::strerror(errno));
}

}  // namespace dietmt::tools
