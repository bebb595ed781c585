#include <torch/cuda.h>

#include "encoders/device/device.h"
#include "tests/parity/tested_device.h"

namespace dietmt {

std::string reason_not_to_run() {
  const auto& loaded = encoders::cuda_kernels();
  if (!torch::cuda::is_available()) {
    return "no GPU: " +
           (loaded.problem.empty() ? std::string("LibTorch sees none") : loaded.problem);
  }
  return {};
}

c10::Device tested_device() { return encoders::parse_device("cuda"); }

void move_to_tested_device(torch::nn::Module& module) { module.to(tested_device()); }

std::vector<encoders::Encoding> encodings_to_try() { return encoders::kEncodings; }

}  // namespace dietmt
