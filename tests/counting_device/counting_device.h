// A device over host memory that counts what a GPU would be asked to do: LibTorch's PrivateUse1.
// Tests run a step on it to learn how many kernels the step launches, what it copies, and where the
// host waits for the device. Results come from LibTorch's CPU kernels.
//
// Device addresses are not readable: host code that dereferences one stops with a backtrace. An
// operator that mixes devices throws, except that 0-dim CPU tensors may be combined with device
// tensors as on CUDA. The fused kernels are those of fused_kernels.h.
#pragma once

#include <c10/core/Device.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/device_kernels.h"

namespace dietmt::counting {

/// Registers the device and its table of fused kernels on the first call, and returns it.
c10::Device counting_device();

/// While it lives, the device uses these fused kernels, which the caller keeps.
class OtherKernels {
 public:
  explicit OtherKernels(const kernels::DeviceKernels& kernels);
  ~OtherKernels();
  OtherKernels(const OtherKernels&) = delete;
  OtherKernels& operator=(const OtherKernels&) = delete;
};

/// Moves the parameters and buffers of a module to the device, like Module::to(). LibTorch's own
/// refuses because the type of a parameter could not change to one of this device.
void move_to_device(torch::nn::Module& module);

struct Counts {
  int64_t launches = 0;          // kernels, memory sets, copies within the device, and graphs
  int64_t in_graphs = 0;         // launches replayed by graphs, without the graphs themselves
  int64_t host_to_device = 0;    // copies
  int64_t device_to_host = 0;    // copies
  int64_t device_to_device = 0;  // copies, included in launches
  int64_t waits = 0;             // synchronising reads: the host waits until the device is done
  double device_seconds = 0.0;   // processor time in emulated kernels
};

/// Since the last reset.
Counts counts();
void reset_counts();

/// Launches by operator or kernel since the last reset.
std::map<std::string, int64_t> launches_by_operator();

/// A place that a test wants to find in the sources.
struct Place {
  std::string operation;
  std::string frames;  // dietmt's innermost functions, one per line
};

/// Where the host waited since the last reset.
std::vector<Place> places_of_waits();

/// Launches by operator and innermost dietmt function while it lives; takes a backtrace per launch.
class TracedLaunches {
 public:
  TracedLaunches();
  ~TracedLaunches();
  TracedLaunches(const TracedLaunches&) = delete;
  TracedLaunches& operator=(const TracedLaunches&) = delete;

  std::map<std::string, int64_t> by_place() const;
};

/// While it lives, kernels do not compute floating-point results: small ones are zero, others keep
/// what the memory held. This makes it possible to time the host's part of a large step.
class WithoutComputing {
 public:
  WithoutComputing();
  ~WithoutComputing();
  WithoutComputing(const WithoutComputing&) = delete;
  WithoutComputing& operator=(const WithoutComputing&) = delete;
};

/// Bytes of device memory in use, and their peak since the last reset.
int64_t allocated_bytes();
int64_t peak_bytes();

}  // namespace dietmt::counting
