#include "service/jobs/process_identity.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace dietmt::service {
namespace {

// "BOOT:NAMESPACE", within which PIDs and start times are unique.
std::string numbering() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code ignored;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
  std::string digits;
  for (const char c : space)
    if (c >= '0' && c <= '9') digits += c;
  return boot + ":" + digits;
}

// In clock ticks since boot; empty if there is no such process or only a zombie.
std::string start_time(const std::string& process) {
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

}  // namespace

std::string process_identity() {
  const std::string process = std::to_string(::getpid());
  return numbering() + ":" + process + ":" + start_time(process);
}

bool is_dead_process_of_this_machine(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream stream(name);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  if (parts.size() < 4 || parts[0] + ":" + parts[1] != numbering()) return false;
  return start_time(parts[2]) != parts[3];
}

}  // namespace dietmt::service
