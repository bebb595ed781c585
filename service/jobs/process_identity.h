// Unique names of processes, which show whether the process that took a lease is still alive.
#pragma once

#include <string>

namespace dietmt::service {

/// Boot id of the machine, PID namespace, PID and start time of this process.
std::string process_identity();

/// True if `name` begins with the identity of a process that ran on this machine and has ended.
/// False if it is alive, or ran on another machine, in another container or before a reboot.
bool is_dead_process_of_this_machine(const std::string& name);

}  // namespace dietmt::service
