#include <cstdlib>
#include <memory>

#include "tests/kernels/cuda/rowwise/host_rows.h"
#include "tests/kernels/cuda/rowwise/row_runner.h"

namespace dietmt::kernels {

std::string reason_not_to_run() { return {}; }

void* allocate_shared(size_t bytes) {
  static std::vector<std::unique_ptr<void, decltype(&std::free)>> memory;
  const size_t size = (bytes / 256 + 1) * 256;
  memory.emplace_back(std::aligned_alloc(256, size), &std::free);
  std::memset(memory.back().get(), 0xff, size);
  return memory.back().get();
}

void run_rows_here(const DeviceAddNorm& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceAddNormBackward& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceActivate& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceActivateBackward& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceColumnSums& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceEmbed& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceEmbedBackward& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceCrossEntropy& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceRotate& call) { run_rows_on_host(call, {}); }

}  // namespace dietmt::kernels
