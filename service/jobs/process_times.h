// When processes of this machine started, which tells apart those with the same number.
#pragma once

#include <string>

namespace dietmt::service {

/// "BOOT:NAMESPACE", within which PIDs and start times are unique. macOS has no namespaces.
std::string process_numbering();

/// When a process started, in the system's own unit; "" if there is no such process, or only a
/// zombie. `process`: its PID.
std::string process_start_time(const std::string& process);

}  // namespace dietmt::service
