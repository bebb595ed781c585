// What this process takes of the machine's memory, and what it may take.
#pragma once

#include <cstdint>

namespace dietmt {

/// Bytes: the most that the process had resident at a time so far.
int64_t peak_memory();

/// Bytes that the process may still take: what the system has available, or what its control group
/// leaves it if that is less.
int64_t available_memory();

}  // namespace dietmt
