// How much memory this process uses, and how much it may use.
#pragma once

#include <cstdint>
#include <string>

namespace dietmt {

/// Peak resident memory of the process so far, in bytes.
int64_t peak_memory();

/// Bytes that the process may still allocate: the memory available in the system or in its control
/// group, whichever is less.
int64_t available_memory();

/// Empty, or that `what`, words such as "--width 64", needs more bytes than are available.
std::string memory_problem(const std::string& what, double bytes);

}  // namespace dietmt
