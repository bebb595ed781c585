// How much memory this process uses and may still allocate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace dietmt {

/// Peak resident memory of the process so far, in bytes.
int64_t peak_memory();

/// Resets peak_memory() to what is resident now, on Linux only.
void reset_peak_memory();

/// Resident memory of the process now, in bytes.
int64_t resident_memory();

/// Bytes that the process may still allocate under its control groups (versions 1 and 2) and their
/// parents; the largest int64_t if none has a limit, as on macOS.
int64_t available_in_groups(const std::filesystem::path& membership = "/proc/self/cgroup",
                            const std::filesystem::path& mounts = "/sys/fs/cgroup");

/// Bytes that the process may still allocate: the least of the system's available memory, the
/// limits of its control groups and its address-space limit (`ulimit -v`).
int64_t available_memory();

/// Limits glibc's heap to two arenas instead of eight per core, because each arena keeps the memory
/// of the largest document that its thread has handled. Call it before the first thread starts.
void share_arenas();

/// Returns unused heap memory to the system. Takes milliseconds. Thread-safe.
void return_free_memory();

/// Calls return_free_memory() at its end, also after an exception.
class FreeMemoryReturner {
 public:
  explicit FreeMemoryReturner(bool is_wanted) : is_wanted_(is_wanted) {}
  ~FreeMemoryReturner() {
    if (is_wanted_) return_free_memory();
  }
  FreeMemoryReturner(const FreeMemoryReturner&) = delete;
  FreeMemoryReturner& operator=(const FreeMemoryReturner&) = delete;

 private:
  const bool is_wanted_;
};

/// Says that `what`, such as "--width 64", needs more bytes than the process has and may still
/// allocate; "" if it fits. Memory that the process already has counts in full, since freed memory
/// is reused.
std::string memory_problem(const std::string& what, double bytes);

}  // namespace dietmt
