// Graphs of the counting device (encoders/device/device_graphs.h). Threads have a current stream,
// as on CUDA: a recording takes the work of the recording stream, whichever thread enqueues it,
// such as autograd's thread of the device, which runs the backward pass of work on the stream of
// that work. This work is done at once, to learn the sizes of its results, and undone when the
// recording ends: memory that it used is as before, and its results are spoiled. A replay does the
// work again, on the same memory, and is one launch.
//
// Errors: a wait, a copy to or from the host, and an event that orders the recording stream and
// another one, while the stream records; a replay after memory that the work used and had not
// allocated itself has been freed.
#pragma once

#include <c10/core/Stream.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "encoders/device/device_graphs.h"

namespace dietmt::counting {

std::unique_ptr<encoders::DeviceGraphs> recorded_graphs(c10::Device device);

/// While it lives, the device refuses to record.
class RefusedRecordings {
 public:
  RefusedRecordings();
  ~RefusedRecordings();
  RefusedRecordings(const RefusedRecordings&) = delete;
  RefusedRecordings& operator=(const RefusedRecordings&) = delete;
};

/// The stream of this thread.
c10::StreamId current_stream();

/// Changes it and returns the one before.
c10::StreamId exchange_stream(c10::StreamId stream);

/// Whether work of this thread is recorded.
bool is_recording();

/// The pool of memory for allocations of this thread; 0 unless its work is recorded.
int64_t pool_of_recording();

/// Throws Error if one of the streams records and the other does not: `waiting` waits for work of
/// `done`.
void require_no_join(c10::StreamId done, c10::StreamId waiting);

/// Throws Error if it does; `operation` says what a graph cannot do.
void require_no_recording(const std::string& operation);

/// The work uses the memory at this address of the mirror; before it does so. Nothing unless the
/// work is recorded.
void note_use(const void* mirror);

/// The work launches kernels; only while it is recorded.
void note_launches(int64_t launches);

/// What a replay does for the call that was just done; only while work is recorded. It must not
/// keep memory of the device alive.
void record_call(std::function<void()> again);

/// Makes a call that captures nothing of the device but its mirror, now and in each replay.
template <typename Call>
void do_and_record(const Call& call) {
  call();
  if (is_recording()) record_call(call);
}

}  // namespace dietmt::counting
