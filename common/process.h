// The signals and the time limit that stop this process, its cores and the priority of its threads.
#pragma once

#include <chrono>
#include <cstdint>

namespace dietmt {

/// From now on the first SIGTERM, SIGINT or SIGHUP only sets the flag; a second one ends the
/// process. A SIGHUP that is ignored already, as under nohup, stays ignored. Call it before
/// starting threads: this thread and those it starts block the signals, and only one thread waits
/// for them. A handler must not run in threads that compute: generated code of oneDNN, which
/// LibTorch multiplies with, lets the stack pointer point into its buffers, and the kernel puts a
/// handler's frame there, over the neighbouring memory.
void install_stop_signal();

/// Sets the flag when this time has passed, counted from now. Call it before starting threads.
void stop_after(std::chrono::duration<double> time);

/// True after such a signal or the time of stop_after().
bool stop_requested();

/// "stopped by a signal" or "stopped by --max-time"; to be called when stop_requested() is true.
const char* stop_reason();

/// Throws Stopped if stop_requested().
void throw_if_stop_requested();

/// This thread, and those it starts from now on, give way to others: their nice value rises to that
/// of the main thread plus `amount` (0: nothing changes), at most 19. A higher value stays.
void give_way(int amount);

/// The cores that this process may use.
int64_t usable_cores();

/// True if the process ignores this signal.
bool is_ignored(int signal);

}  // namespace dietmt
