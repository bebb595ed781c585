#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "service/jobs/process_times.h"

namespace dietmt::service {

std::string process_numbering() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code ignored;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
  std::string digits;
  for (const char c : space)
    if (c >= '0' && c <= '9') digits += c;
  return boot + ":" + digits;
}

// In clock ticks since boot.
std::string process_start_time(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t end_of_name = line.rfind(')');
  if (end_of_name == line.npos) return "";
  std::istringstream fields(line.substr(end_of_name + 1));
  constexpr int kStartTime = 20;  // field 22 of proc(5); the state is field 3
  std::vector<std::string> values;
  for (std::string value; fields >> value;) values.push_back(value);
  if (values.size() < kStartTime || values[0] == "Z" || values[0] == "X") return "";
  return values[kStartTime - 1];
}

}  // namespace dietmt::service
