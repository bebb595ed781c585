// Graphs of the counting device (encoders/device/device_graphs.h). Threads have a current stream,
// as on CUDA. A recording captures the work of the recording stream, whichever thread enqueues it:
// autograd's device thread, for example, runs the backward pass on the stream of the forward work.
// Recorded work runs at once, to learn the sizes of its results, and is undone when the recording
// ends: the memory it used is restored, and its results are overwritten. A replay repeats the work
// on the same memory, and is one launch.
//
// These are errors: a wait, a copy to or from the host, or an event that orders the recording
// stream and another one, during a recording; and a replay after memory that the work used but did
// not allocate has been freed.
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

/// Sets it and returns the previous one.
c10::StreamId exchange_stream(c10::StreamId stream);

/// Whether this thread's work is being recorded.
bool is_recording();

/// The memory pool for this thread's allocations; 0 unless its work is recorded.
int64_t pool_of_recording();

/// Throws Error if exactly one of the streams records: `waiting` waits for work of `done`.
void require_no_join(c10::StreamId done, c10::StreamId waiting);

/// Throws Error if this thread's work is being recorded; `operation` says what a graph cannot do.
void require_no_recording(const std::string& operation);

/// Call it before recorded work uses the memory at this mirror address. Does nothing unless the
/// work is recorded.
void note_use(const void* mirror);

/// The work launches kernels; only while it is recorded.
void note_launches(int64_t launches);

/// How a replay repeats the call that was just made; only while work is recorded. It must not keep
/// device memory alive.
void record_call(std::function<void()> again);

/// Makes a call now and in each replay. Of the device it may capture only the mirror.
template <typename Call>
void do_and_record(const Call& call) {
  call();
  if (is_recording()) record_call(call);
}

}  // namespace dietmt::counting
