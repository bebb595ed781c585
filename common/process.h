// This process: the signals and the time limit that stop it, and its memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

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

/// True if the process ignores this signal.
bool is_ignored(int signal);

/// Peak resident memory of the process so far, in bytes.
int64_t peak_memory();

/// Bytes that the process may still allocate: the memory available in the system or in its control
/// group, whichever is less.
int64_t available_memory();

/// Empty, or that `what`, words such as "--width 64", needs more bytes than are available.
std::string memory_problem(const std::string& what, double bytes);

}  // namespace dietmt
