// What the counting device has been asked to do: the counters of counting_device.h, written by its
// other parts.
#pragma once

#include <cstdint>
#include <string>

namespace dietmt::counting {

enum class CopyKind { kHostToDevice, kDeviceToHost, kDeviceToDevice };

void log_launches(const std::string& operation, int64_t launches = 1);
void log_copy(CopyKind kind);
void log_graph(int64_t launches);  // a replay of that many

/// The host waits for the device; `operation` says why.
void log_wait(const std::string& operation);

/// Whether kernels compute (WithoutComputing).
bool computes();

/// Larger results are not even zeroed then, so that the host's caches stay as they are.
constexpr int64_t kMostZeroedNumbers = 4096;

/// While it lives, this thread's launches and copies are not counted, since they are a replay's.
class Uncounted {
 public:
  Uncounted();
  ~Uncounted();
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
};

/// Device time while it lives: this thread's processor time, so that other programs do not count.
/// Nested work counts once.
class DeviceWork {
 public:
  DeviceWork();
  ~DeviceWork();
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

 private:
  double start_;
};

}  // namespace dietmt::counting
