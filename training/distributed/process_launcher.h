// Starts the processes of a training on this machine: what --processes asks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::training {

/// Starts this program `processes` times with the words of a command (`train`, options) and waits
/// for all. SIGTERM, SIGINT and SIGHUP are passed on to each. Where one ends badly, the others have
/// half a minute to notice and are killed then. Returns the exit code: that of a process that
/// failed by itself, of rank 0 if it is among them; 75 where one was killed or all have stopped;
/// else 0.
int run_processes(int64_t processes, const std::vector<std::string>& words);

}  // namespace dietmt::training
