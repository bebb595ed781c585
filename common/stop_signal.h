// SIGTERM and SIGINT set a flag that long loops poll.
#pragma once

namespace dietmt {

/// From now on the first SIGTERM or SIGINT only sets the flag; a second one ends the process. Call
/// it before starting threads: this thread and those it starts block both signals, and only one
/// thread waits for them. A handler must not run in threads that compute: generated code of
/// oneDNN, which LibTorch multiplies with, lets the stack pointer point into its buffers, and the
/// kernel puts a handler's frame there, over the neighbouring memory.
void install_stop_signal();

/// True after such a signal.
bool stop_requested();

/// Throws Stopped after such a signal.
void throw_if_stop_requested();

}  // namespace dietmt
