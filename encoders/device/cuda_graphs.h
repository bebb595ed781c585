// CUDA's graphs for the shared object behind device.h.
#pragma once

#include <memory>

#include "encoders/device/device_graphs.h"

namespace dietmt::encoders {

std::unique_ptr<DeviceGraphs> cuda_graphs(c10::Device device);

}  // namespace dietmt::encoders
