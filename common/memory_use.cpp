#include "common/memory_use.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace dietmt {
namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

// The number in a file of a control group, which holds nothing else; "max" means no limit.
int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? number : kUnknown;
}

int64_t system_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (int64_t kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return kilobytes * 1024;
  return kUnknown;
}

}  // namespace

int64_t peak_memory() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss * 1024;
}

int64_t available_memory() {
  const int64_t limit = number_in("/sys/fs/cgroup/memory.max");
  const int64_t used = number_in("/sys/fs/cgroup/memory.current");
  const int64_t group = limit == kUnknown || used == kUnknown ? kUnknown : limit - used;
  return std::max<int64_t>(0, std::min(system_memory(), group));
}

std::string memory_problem(const std::string& what, double bytes) {
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return {};
  constexpr double kGigabyte = 1e9;
  return fmt::format("{}: needs about {:.1f} GB of memory, but only {:.1f} GB are available", what,
                     bytes / kGigabyte, available / kGigabyte);
}

}  // namespace dietmt
