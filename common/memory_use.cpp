#include "common/memory_use.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

namespace dietmt {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

// The number after `name` in a file of names and numbers.
int64_t number_of(const std::string& name, const fs::path& path, int64_t otherwise) {
  std::ifstream file(path);
  std::string word, rest;
  for (int64_t number = 0; file >> word >> number; std::getline(file, rest))
    if (word == name) return number;
  return otherwise;
}

// The number in a file that holds nothing else; "max" means no limit.
int64_t number_in(const fs::path& path) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? number : kUnknown;
}

int64_t free_in_system() {
  const int64_t kilobytes = number_of("MemAvailable:", "/proc/meminfo", kUnknown);
  return kilobytes == kUnknown ? kUnknown : kilobytes * 1024;
}

// The kernel drops cached files when a group reaches its limit.
int64_t free_in_group(const fs::path& group) {
  const int64_t limit = number_in(group / "memory.max");
  const int64_t used = number_in(group / "memory.current");
  if (limit == kUnknown || used == kUnknown) return kUnknown;
  const fs::path statistics = group / "memory.stat";
  return limit - used + number_of("active_file", statistics, 0) +
         number_of("inactive_file", statistics, 0);
}

// Of the process's group and those around it.
int64_t free_in_groups() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  const std::string version_2 = "0::/";
  while (std::getline(file, line) && !line.starts_with(version_2)) continue;
  if (!file) return kUnknown;
  fs::path group = fs::path("/sys/fs/cgroup") / line.substr(version_2.size());
  int64_t least = kUnknown;
  for (; group.has_relative_path() && group != "/sys/fs"; group = group.parent_path())
    least = std::min(least, free_in_group(group));
  return least;
}

struct Pages {  // in bytes
  int64_t mapped = 0;
  int64_t resident = 0;
};

Pages pages_of_process() {
  std::ifstream file("/proc/self/statm");
  Pages pages;
  file >> pages.mapped >> pages.resident;
  const int64_t size = ::sysconf(_SC_PAGESIZE);
  return {pages.mapped * size, pages.resident * size};
}

int64_t free_addresses() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnknown;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, kUnknown)) -
         pages_of_process().mapped;
}

}  // namespace

int64_t peak_memory() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss * 1024;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

int64_t resident_memory() { return pages_of_process().resident; }

int64_t available_memory() {
  return std::max<int64_t>(0, std::min({free_in_system(), free_in_groups(), free_addresses()}));
}

std::string memory_problem(const std::string& what, double bytes) {
  const double available =
      static_cast<double>(available_memory()) + static_cast<double>(resident_memory());
  if (bytes <= available) return {};
  constexpr double kGigabyte = 1e9;
  return fmt::format("{}: needs about {:.1f} GB of memory, but only {:.1f} GB are available", what,
                     bytes / kGigabyte, available / kGigabyte);
}

}  // namespace dietmt
