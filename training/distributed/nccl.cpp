#include <cstdlib>

#include "training/distributed/process_group.h"
#define USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

namespace dietmt::training {

c10::intrusive_ptr<c10d::Backend> connect_nccl(const c10::intrusive_ptr<c10d::Store>& store,
                                               int64_t rank, int64_t processes,
                                               std::chrono::milliseconds timeout) {
  // PeerWatch ends this process if another is lost; NCCL's own watch would abort it before.
  ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", /*overwrite=*/0);
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, static_cast<int>(rank),
                                                     static_cast<int>(processes), options);
}

}  // namespace dietmt::training
