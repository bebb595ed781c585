// Graphs of the counting device (encoders/device/device_graphs.h). While a thread records, its work
// is done at once, to learn the sizes of its results, and undone when the recording ends: memory
// that it used is as before, and its results are spoiled. A replay does the work again, on the same
// memory, and is one launch.
//
// Errors: a wait, and a copy to or from the host, while a thread records; a replay after memory
// that the work used and had not allocated itself has been freed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "encoders/device/device_graphs.h"

namespace dietmt::counting {

std::unique_ptr<encoders::DeviceGraphs> recorded_graphs(c10::Device device);

/// Whether this thread records.
bool is_recording();

/// Throws Error if it does; `operation` says what a graph cannot do.
void require_no_recording(const std::string& operation);

/// The work uses the memory at this address of the mirror; before it does so. Nothing unless the
/// thread records.
void note_use(const void* mirror);

/// The work launches kernels; only while the thread records.
void note_launches(int64_t launches);

/// What a replay does for the call that was just done; only while the thread records. It must not
/// keep memory of the device alive.
void record_call(std::function<void()> again);

/// Makes a call that captures nothing of the device but its mirror, now and in each replay.
template <typename Call>
void do_and_record(const Call& call) {
  call();
  if (is_recording()) record_call(call);
}

}  // namespace dietmt::counting
