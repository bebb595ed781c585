// Names of processes that no other process ever has, so that one can tell whether the process that
// left a mark somewhere still lives.
#pragma once

#include <string>

namespace dietmt::service {

/// Boot of the machine, namespace of process numbers, number and start time of this process.
std::string process_identity();

/// True if `name` begins with the identity of a process that ran on this machine and is gone.
/// False if it lives, or if this cannot be known here: another machine, container or boot.
bool is_dead_process_of_this_machine(const std::string& name);

}  // namespace dietmt::service
