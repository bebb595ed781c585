#include "encoders/device/cuda_graphs.h"

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <map>
#include <mutex>
#include <optional>

#include "encoders/device/cuda_row_backend.h"

namespace dietmt::encoders {
namespace {

using Pool = decltype(at::cuda::graph_pool_handle());

/// LibTorch keeps account of all graphs of a device without a lock.
std::mutex& graph_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// The default stream cannot record. One stream for a device is enough, because only one thread
/// records at a time. What kernels keep for each stream exists before the first recording, so that
/// no graph owns it.
c10::cuda::CUDAStream recording_stream(c10::DeviceIndex device) {
  static auto& streams = *new std::map<c10::DeviceIndex, c10::cuda::CUDAStream>;
  if (const auto found = streams.find(device); found != streams.end()) return found->second;
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(false, device);
  const c10::cuda::CUDAStreamGuard guard(stream);
  cuda::prepare_current_stream();
  stream.synchronize();
  return streams.emplace(device, stream).first->second;
}

class CudaGraph : public DeviceGraph {
 public:
  ~CudaGraph() override {
    const std::lock_guard lock(graph_mutex());
    graph_.reset();  // the object, too
  }

  void replay() override { graph_->replay(); }

  void record(Pool pool, c10::DeviceIndex device, const std::function<void()>& work) {
    const std::lock_guard lock(graph_mutex());
    const c10::cuda::CUDAStreamGuard guard(recording_stream(device));
    // Other threads may go on with what CUDA forbids while this one records, such as page-locking
    // memory.
    try {
      graph_->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
      work();
      graph_->capture_end();
    } catch (...) {
      abandon(pool, device);
      throw;
    }
  }

 private:
  /// The stream stops recording, and the allocator no longer serves it from the pool. Each of these
  /// fails if it has been done; the caller has the first error.
  void abandon(Pool pool, c10::DeviceIndex device) {
    try {
      graph_->capture_end();
    } catch (const c10::Error&) {
    }
    try {
      c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool);
      c10::cuda::CUDACachingAllocator::releasePool(device,
                                                   pool);  // which the graph does not do then
    } catch (const c10::Error&) {
    }
  }

  std::optional<at::cuda::CUDAGraph> graph_ = std::make_optional<at::cuda::CUDAGraph>();
};

class CudaGraphs : public DeviceGraphs {
 public:
  explicit CudaGraphs(c10::Device device)
      : device_(device.has_index() ? device.index() : c10::cuda::current_device()),
        pool_(at::cuda::graph_pool_handle()) {
    anchor_.record(pool_, device_, [&] {
      at::zeros({1}, at::TensorOptions(at::kByte).device(c10::kCUDA, device_));
    });
  }

  std::unique_ptr<DeviceGraph> record(const std::function<void()>& work) override {
    auto graph = std::make_unique<CudaGraph>();
    graph->record(pool_, device_, work);
    return graph;
  }

 private:
  c10::DeviceIndex device_;
  Pool pool_;
  CudaGraph anchor_;  // LibTorch refuses a pool all of whose graphs have gone
};

}  // namespace

std::unique_ptr<DeviceGraphs> cuda_graphs(c10::Device device) {
  return std::make_unique<CudaGraphs>(device);
}

}  // namespace dietmt::encoders
