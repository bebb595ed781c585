// CUDA's graphs for the shared object that device.h loads.
#pragma once

#include <memory>

#include "encoders/device/device_graphs.h"

namespace dietmt::encoders {

std::unique_ptr<DeviceGraphs> cuda_graphs(c10::Device device);

}  // namespace dietmt::encoders
