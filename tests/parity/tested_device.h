// The device whose losses, gradients and translations the tests in this folder compare with the
// CPU's: a GPU (gpu.cpp) or the counting device over host memory (counting.cpp). Each test program
// links one of them.
#pragma once

#include <c10/core/Device.h>
#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "tests/encoders/position/encoding_list.h"

namespace dietmt {

/// Empty if the device exists. Call it before tested_device().
std::string reason_not_to_run();

c10::Device tested_device();

/// Moves parameters and buffers to that device.
void move_to_tested_device(torch::nn::Module& module);

/// All of them on a GPU. On the counting device these tests try a few; tests/counting_device covers
/// the rest.
std::vector<encoders::Encoding> encodings_to_try();

}  // namespace dietmt
