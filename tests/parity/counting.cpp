#include "tests/counting_device/counting_device.h"
#include "tests/parity/tested_device.h"

namespace dietmt {

std::string reason_not_to_run() { return {}; }

c10::Device tested_device() { return counting::counting_device(); }

void move_to_tested_device(torch::nn::Module& module) { counting::move_to_device(module); }

std::vector<encoders::Encoding> encodings_to_try() {
  std::vector<encoders::Encoding> few;
  for (size_t i = 0; i < encoders::kEncodings.size(); i += 12)
    few.push_back(encoders::kEncodings[i]);
  return few;
}

}  // namespace dietmt
