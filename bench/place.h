// The device that a benchmark runs on: element types, waiting, time and memory there.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <string>

#include "bench/benchmark.h"
#include "encoders/device/device.h"

namespace dietmt::bench {

inline const OptionRule kPrecision{.choices = {"fp32", "bf16"}};
inline const OptionRule kElement{.choices = {"fp32", "bf16", "fp16"}};
inline constexpr char kDeviceHelp[] = "device to run on: cpu, cuda or cuda:I";

inline at::ScalarType element_type(const std::string& name) {
  if (name == "bf16") return at::kBFloat16;
  return name == "fp16" ? at::kHalf : at::kFloat;
}

/// How often a kernel is called before and while it is timed.
struct Repeats {
  int64_t warmup = 3, rounds = 11, calls = 10;
};

inline void add_repeats(OptionTable& table, Repeats& repeats) {
  table.add("warmup", &repeats.warmup, "N", "calls before the timed rounds", {.least = 0})
      .add("rounds", &repeats.rounds, "N", "timed rounds", kCount)
      .add("calls", &repeats.calls, "N", "calls in a round", kCount);
}

class Place {
 public:
  /// Makes the device the current one.
  explicit Place(const std::string& device) : device_(encoders::parse_device(device)) {
    encoders::make_current(device_);
  }

  at::Device device() const { return device_; }

  /// Returns when the device has done all that was enqueued.
  void synchronize() const {
    if (!device_.is_cpu()) guard().synchronizeDevice(device_.index());
  }

  /// Seconds of `work`, from an idle device until the device is idle again.
  double seconds(const std::function<void()>& work) const {
    synchronize();
    return bench::seconds([&] {
      work();
      synchronize();
    });
  }

  /// Seconds of one of `calls` calls that follow each other. On a device these are the seconds
  /// between two events, so that waking the host after the last one does not count.
  double seconds_of_call(const std::function<void()>& work, int64_t calls) const {
    const auto repeated = [&] {
      for (int64_t call = 0; call < calls; ++call) work();
    };
    if (device_.is_cpu()) return bench::seconds(repeated) / static_cast<double>(calls);
    c10::Event start(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
    c10::Event end(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
    synchronize();
    start.record(guard().getStream(device_));
    repeated();
    end.record(guard().getStream(device_));
    synchronize();
    return start.elapsedTime(end) * 1e-3 / static_cast<double>(calls);
  }

  /// Time of a call, the median over the rounds.
  double median_seconds(const std::function<void()>& work, const Repeats& repeats) const {
    for (int64_t i = 0; i < repeats.warmup; ++i) work();
    std::vector<double> times;
    for (int64_t round = 0; round < repeats.rounds; ++round)
      times.push_back(seconds_of_call(work, repeats.calls));
    return bench::median(times);
  }

  /// Peak bytes that `work` adds to the device's allocator; not for the CPU, where tensors use the
  /// C library's allocator.
  double peak_bytes(const std::function<void()>& work) const {
    auto* const allocator = c10::getDeviceAllocator(device_.type());
    const auto allocated = [&] {
      return allocator->getDeviceStats(device_.index()).allocated_bytes[0];  // of all pools
    };
    synchronize();
    const auto before = allocated().current;
    allocator->resetPeakStats(device_.index());
    work();
    synchronize();
    return static_cast<double>(allocated().peak - before);
  }

 private:
  c10::impl::VirtualGuardImpl guard() const { return c10::impl::VirtualGuardImpl(device_.type()); }

  at::Device device_;
};

/// The fused kernels of the device. Throws ConfigError if it has none.
inline const kernels::DeviceKernels& kernels_of(const Place& place, const std::string& name) {
  const kernels::DeviceKernels* const table = encoders::device_kernels(place.device());
  if (table != nullptr) return *table;
  throw ConfigError("--device " + name +
                    " has no fused kernels: " + encoders::reason_for_no_kernels(place.device()));
}

}  // namespace dietmt::bench
