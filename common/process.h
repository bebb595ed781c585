// This process: its stop signals, its log and its memory.
#pragma once

#include <cstdint>

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

/// Logs go to stderr, because stdout carries only results. Code logs with spdlog::info / warn /
/// error. Sends spdlog to stderr with a short pattern (level and message; the time when stderr is a
/// file). The environment variable SPDLOG_LEVEL=debug shows more, SPDLOG_LEVEL=warn less.
void init_logging();

/// Peak resident memory of the process so far, in bytes.
int64_t peak_memory();

/// Bytes that the process may still allocate: the memory available in the system or in its control
/// group, whichever is less.
int64_t available_memory();

}  // namespace dietmt
