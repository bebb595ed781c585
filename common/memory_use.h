// The memory that this process has, may still take, or would need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace dietmt {

/// Peak resident memory of the process so far, in bytes.
int64_t peak_memory();

/// Lets peak_memory() begin again with what is resident now.
void reset_peak_memory();

/// Resident memory of the process now, in bytes.
int64_t resident_memory();

/// Bytes that the process may still allocate in its control groups (versions 1 and 2) and those
/// around them; the largest number if none has a limit.
int64_t available_in_groups(const std::filesystem::path& membership = "/proc/self/cgroup",
                            const std::filesystem::path& mounts = "/sys/fs/cgroup");

/// Bytes that the process may still allocate: the memory available in the system, in its control
/// groups or under its limit on addresses (`ulimit -v`), whichever is least.
int64_t available_memory();

/// Threads that allocate at the same time share two arenas of glibc's heap instead of eight per
/// core, each of which would keep the memory of the largest document that its thread has handled.
/// Call it before the first thread starts.
void share_arenas();

/// Returns what the heap does not use to the system. Costs milliseconds.
void return_free_memory();

/// Empty, or that `what`, words such as "--width 64", needs more bytes than the process has and may
/// still allocate. It counts all memory that it has: what was freed is used again.
std::string memory_problem(const std::string& what, double bytes);

}  // namespace dietmt
