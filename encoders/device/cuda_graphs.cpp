#include "encoders/device/cuda_graphs.h"

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <exception>
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

/// Calls `work`. A graph takes memory of the device without asking LibTorch's allocator; where that
/// fails, throws as the allocator would.
template <typename Work>
void with_memory_errors(const Work& work) {
  try {
    work();
  } catch (const c10::AcceleratorError& error) {
    if (error.get_error_code() != cudaErrorMemoryAllocation) throw;
    TORCH_CHECK_WITH(OutOfMemoryError, false, error.what_without_backtrace());
  }
}

/// Whether `work` threw nothing.
template <typename Work>
bool succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// An allocator of page-locked memory, which serves recordings from the pool as well since LibTorch
/// 2.11.
template <typename Allocator>
void abandon_pool(Allocator& allocator, Pool pool) {
  if constexpr (requires { allocator.end_allocate_to_pool(pool); }) {
    if (succeeds([&] { allocator.end_allocate_to_pool(pool); }))
      succeeds([&] { allocator.release_pool(pool); });
  }
}

class CudaGraph : public DeviceGraph {
 public:
  ~CudaGraph() override {
    const std::lock_guard lock(graph_mutex());
    graph_.reset();  // the object, too
  }

  void replay() override {
    with_memory_errors([&] { graph_->replay(); });
  }

  void record(Pool pool, c10::DeviceIndex device, const std::function<void()>& work) {
    const std::lock_guard lock(graph_mutex());
    const c10::cuda::CUDAStream stream = recording_stream(device);
    const c10::cuda::CUDAStreamGuard guard(stream);
    // While this thread records, other threads may use calls that CUDA forbids here, such as
    // page-locking memory.
    try {
      graph_->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
      work();
      with_memory_errors([&] {
        graph_->capture_end();
        upload(*graph_, stream);
      });
    } catch (...) {
      abandon(pool, device);
      throw;
    }
  }

 private:
  /// Takes the memory that the first launch would take, while the caller can still do without the
  /// graph. LibTorch 2.8 does not tell its graph.
  template <typename Graph>
  static void upload(Graph& graph, const c10::cuda::CUDAStream& stream) {
    if constexpr (requires { graph.raw_cuda_graph_exec(); }) {
      C10_CUDA_CHECK(cudaGraphUpload(graph.raw_cuda_graph_exec(), stream.stream()));
      stream.synchronize();
    }
  }

  /// The stream stops recording, and the allocators no longer serve it from the pool, which they
  /// keep for other graphs. Each of these fails if it has been done; a graph that has come to its
  /// end gives the pool back itself.
  void abandon(Pool pool, c10::DeviceIndex device) {
    namespace allocator = c10::cuda::CUDACachingAllocator;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(recording_stream(device).stream(), &status);
    if (status != cudaStreamCaptureStatusNone) succeeds([&] { graph_->capture_end(); });
    if (succeeds([&] { allocator::endAllocateToPool(device, pool); }))
      succeeds([&] { allocator::releasePool(device, pool); });
    abandon_pool(*at::getHostAllocator(at::kCUDA), pool);
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

  c10::Device device() const override { return {c10::kCUDA, device_}; }

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
