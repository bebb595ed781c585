// Work of a device that is recorded once and then enqueued as a whole, at the cost of one launch:
// CUDA graphs.
//
//   const std::unique_ptr<DeviceGraphs> graphs = graphs_of(device);  // null: the device has none
//   at::Tensor sum;
//   const auto graph = graphs->record([&] { sum = a + b; });         // computes nothing yet
//   graph->replay();                                                 // sum = a + b
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <string>

namespace dietmt::encoders {

class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;

  /// Enqueues the work: the same kernels with the same sizes on the same memory. Results that they
  /// allocated are overwritten.
  virtual void replay() = 0;
};

/// Graphs that one thread enqueues one after another. They share the memory that their work
/// allocates and frees.
class DeviceGraphs {
 public:
  virtual ~DeviceGraphs() = default;

  virtual c10::Device device() const = 0;

  /// Records what `work` enqueues on this thread. It must neither wait for the device nor read or
  /// write host memory there, and the memory that it uses must stay where it is as long as the
  /// graph lives; memory that it allocates does. Throws what `work` throws, and c10::Error if the
  /// device cannot record it.
  virtual std::unique_ptr<DeviceGraph> record(const std::function<void()>& work) = 0;
};

/// Null on the CPU, on devices without graphs, and after allow_graphs(false); a warning says why if
/// the device should have some.
std::unique_ptr<DeviceGraphs> graphs_of(c10::Device device);

/// Runs `record`, which records with `graphs`, and returns true. If memory is missing, does so
/// again after the device's allocator has released its cache, which does not serve
/// recordings, and which it cannot give back meanwhile. If `record` throws, returns false after a
/// warning that `work`, such as "decoding", goes on without graphs, and why.
bool records_or_warns(const std::string& work, const DeviceGraphs& graphs,
                      const std::function<void()>& record);
void warn_without_graphs(const std::string& work, const std::string& problem);

/// Whether graphs_of() gives any from now on, and passes of training are recorded with those that
/// it has given; at the start both hold.
void allow_graphs(bool allowed);
bool graphs_allowed();

/// While it lives, graphs are not allowed.
class WithoutGraphs {
 public:
  WithoutGraphs() { allow_graphs(false); }
  ~WithoutGraphs() { allow_graphs(before_); }
  WithoutGraphs(const WithoutGraphs&) = delete;
  WithoutGraphs& operator=(const WithoutGraphs&) = delete;

 private:
  bool before_ = graphs_allowed();
};

}  // namespace dietmt::encoders
