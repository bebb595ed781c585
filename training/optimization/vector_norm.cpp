#include "training/optimization/vector_norm.h"

#include <ATen/ATen.h>

namespace dietmt::training {
namespace {

constexpr int64_t kBlock = 1 << 15;

}  // namespace

double vector_norm(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> norms;  // of blocks
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor flat = tensor.reshape(-1);
    const int64_t blocks = flat.size(0) / kBlock;
    const at::Tensor whole = flat.narrow(0, 0, blocks * kBlock).view({blocks, kBlock});
    if (blocks > 0) norms.push_back(at::linalg_vector_norm(whole, 2, 1));
    const at::Tensor rest = flat.narrow(0, blocks * kBlock, flat.size(0) - blocks * kBlock);
    norms.push_back(at::linalg_vector_norm(rest, 2, 0, true));
  }
  if (norms.empty()) return 0.0;
  return at::linalg_vector_norm(at::cat(norms).to(at::kDouble)).item<double>();
}

}  // namespace dietmt::training
