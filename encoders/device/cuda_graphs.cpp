#include "encoders/device/cuda_graphs.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace dietmt::encoders {
namespace {

class CudaGraph : public DeviceGraph {
 public:
  void replay() override { graph_.replay(); }

  void record(c10::MempoolId_t pool, const std::function<void()>& work) {
    // Other threads may go on with what CUDA forbids while this one records, such as page-locking
    // memory.
    graph_.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    try {
      work();
    } catch (...) {
      abandon();
      throw;
    }
    graph_.capture_end();
  }

 private:
  /// A stream that records must be told to stop, which says once more what went wrong.
  void abandon() {
    try {
      graph_.capture_end();
    } catch (const c10::Error&) {  // the caller has the first error
    }
  }

  at::cuda::CUDAGraph graph_;
};

class CudaGraphs : public DeviceGraphs {
 public:
  explicit CudaGraphs(c10::Device device)
      : stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index())),
        pool_(at::cuda::graph_pool_handle()) {}

  // The default stream cannot record. Operators see the new current stream, and what they
  // allocate comes from the graphs' pool.
  std::unique_ptr<DeviceGraph> record(const std::function<void()>& work) override {
    auto graph = std::make_unique<CudaGraph>();
    const c10::cuda::CUDAStreamGuard guard(stream_);
    graph->record(pool_, work);
    return graph;
  }

 private:
  c10::cuda::CUDAStream stream_;
  c10::MempoolId_t pool_;
};

}  // namespace

std::unique_ptr<DeviceGraphs> cuda_graphs(c10::Device device) {
  return std::make_unique<CudaGraphs>(device);
}

}  // namespace dietmt::encoders
