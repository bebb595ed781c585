#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <mutex>

#include "common/memory_use.h"

// tcmalloc's; null in programs without it.
extern "C" [[gnu::weak]] void MallocExtension_ReleaseFreeMemory();

namespace dietmt {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

// The number after `name` in a file of name-value lines.
int64_t number_of(const std::string& name, const fs::path& path, int64_t otherwise) {
  std::ifstream file(path);
  std::string word, rest;
  for (int64_t number = 0; file >> word >> number; std::getline(file, rest))
    if (word == name) return number;
  return otherwise;
}

// The number in a file that holds only a number; "max" means no limit.
int64_t number_in(const fs::path& path) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? number : kUnknown;
}

int64_t free_in_system() {
  const int64_t kilobytes = number_of("MemAvailable:", "/proc/meminfo", kUnknown);
  return kilobytes == kUnknown ? kUnknown : kilobytes * 1024;
}

/// Files of a control group. Version 1 marks totals that include subgroups with "total_".
struct GroupFiles {
  const char* limit;
  const char* used;
  std::string prefix;  // of names in memory.stat
};

const GroupFiles kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_"};
const GroupFiles kVersion2 = {"memory.max", "memory.current", ""};

// Cached files do not count as used: the kernel drops them when a group reaches its limit.
int64_t free_in_group(const fs::path& group, const GroupFiles& files) {
  const int64_t limit = number_in(group / files.limit);
  const int64_t used = number_in(group / files.used);
  if (limit == kUnknown || used == kUnknown) return kUnknown;
  const fs::path statistics = group / "memory.stat";
  return limit - used + number_of(files.prefix + "active_file", statistics, 0) +
         number_of(files.prefix + "inactive_file", statistics, 0);
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

int64_t available_in_groups(const fs::path& membership, const fs::path& mounts) {
  std::ifstream file(membership);
  int64_t least = kUnknown;
  std::string number, controllers, path;  // "4:memory:/jobs/7"; version 2: "0::/jobs/7"
  while (std::getline(file, number, ':') && std::getline(file, controllers, ':') &&
         std::getline(file, path)) {
    const bool version_1 = (',' + controllers + ',').find(",memory,") != std::string::npos;
    if (!version_1 && !controllers.empty()) continue;
    // Inside a container the path may be the one seen from outside; then only the root exists.
    const fs::path root = version_1 ? mounts / "memory" : mounts;
    fs::path group = root / fs::path(path).relative_path();
    for (; group.native().size() >= root.native().size(); group = group.parent_path())
      least = std::min(least, free_in_group(group, version_1 ? kVersion1 : kVersion2));
  }
  return least;
}

int64_t available_memory() {
  return std::max<int64_t>(0,
                           std::min({free_in_system(), available_in_groups(), free_addresses()}));
}

void share_arenas() { ::mallopt(M_ARENA_MAX, 2); }

void return_free_memory() {
  if (MallocExtension_ReleaseFreeMemory != nullptr) return MallocExtension_ReleaseFreeMemory();
  // Another allocator may be preloaded. Then glibc's heap begins with the first malloc_trim(),
  // which must not run twice: glibc 2.36 calls the heap initialized before it is.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  ::malloc_trim(0);
}

}  // namespace dietmt
