// Compiled by `.ci/run macos`, never run so far.
#include <mach/mach.h>
#include <malloc/malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <limits>

#include "common/memory_use.h"

namespace dietmt {

int64_t peak_memory() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;  // in bytes here
}

void reset_peak_memory() {}

int64_t resident_memory() {
  mach_task_basic_info info{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  ::task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&info), &count);
  return static_cast<int64_t>(info.resident_size);
}

int64_t available_in_groups(const std::filesystem::path&, const std::filesystem::path&) {
  return std::numeric_limits<int64_t>::max();
}

// Pages that no program has used for a while count as free: the system compresses them.
int64_t available_memory() {
  vm_statistics64 pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  const kern_return_t status = ::host_statistics64(::mach_host_self(), HOST_VM_INFO64,
                                                   reinterpret_cast<host_info64_t>(&pages), &count);
  if (status != KERN_SUCCESS) return std::numeric_limits<int64_t>::max();
  const int64_t free = int64_t{pages.free_count} + pages.inactive_count;
  return free * ::sysconf(_SC_PAGESIZE);
}

void share_arenas() {}

void return_free_memory() { ::malloc_zone_pressure_relief(nullptr, 0); }

}  // namespace dietmt
