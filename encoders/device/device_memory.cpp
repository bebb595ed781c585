#include "encoders/device/device_memory.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>

#include "common/error.h"
#include "common/memory_use.h"

namespace dietmt::encoders {

void wait_for(c10::Device device) {
  if (device.is_cpu()) return;
  c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9

namespace {

// Null where there is none.
c10::DeviceAllocator* allocator_of(c10::Device device) {
  if (device.is_cpu()) return nullptr;
  return dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(device.type()));
}

}  // namespace

int64_t peak_memory(c10::Device device) {
  c10::DeviceAllocator* const allocator = allocator_of(device);
  if (allocator == nullptr) return dietmt::peak_memory();
  const auto stats = allocator->getDeviceStats(device.index());
  // Reserved: including the allocator's cache, which other programs cannot use.
  return std::max(stats.reserved_bytes[0].peak, stats.allocated_bytes[0].peak);
}

void reset_peak_memory(c10::Device device) {
  if (device.is_cpu()) return dietmt::reset_peak_memory();
  if (c10::DeviceAllocator* const allocator = allocator_of(device); allocator != nullptr)
    allocator->resetPeakStats(device.index());
}

void release_cached_memory(c10::Device device) {
  if (c10::DeviceAllocator* const allocator = allocator_of(device); allocator != nullptr)
    allocator->emptyCache();
}

#else  // LibTorch 2.8 has no statistics that are the same for all devices

int64_t peak_memory(c10::Device /*device*/) { return dietmt::peak_memory(); }
void reset_peak_memory(c10::Device device) {
  if (device.is_cpu()) dietmt::reset_peak_memory();
}
void release_cached_memory(c10::Device /*device*/) {}

#endif

void within_memory_of(c10::Device device, const std::function<void()>& work) {
  try {
    work();
  } catch (const c10::OutOfMemoryError&) {
    throw MemoryError(
        fmt::format("{} has no memory left, and this process has taken {:.1f} GB of "
                    "it: give smaller batches",
                    device.str(), static_cast<double>(peak_memory(device)) / 1e9));
  }
}

}  // namespace dietmt::encoders
