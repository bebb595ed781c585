// Memory and time of a device, for --dry-run, --find-batch and progress.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>

namespace dietmt::encoders {

/// Waits until the device has done the work enqueued so far; nothing on the CPU. Clocks are read
/// after it.
void wait_for(c10::Device device);

/// The most bytes that LibTorch's allocator took of the device since the last reset. On the CPU,
/// and where the allocator does not tell, the peak memory of the process.
int64_t peak_memory(c10::Device device);
void reset_peak_memory(c10::Device device);

/// Gives back to the device what LibTorch's allocator keeps for later.
void release_cached_memory(c10::Device device);

/// Calls `work`. If the device has no memory left, throws MemoryError, which names the device and
/// says to try smaller batches.
void within_memory_of(c10::Device device, const std::function<void()>& work);

}  // namespace dietmt::encoders
