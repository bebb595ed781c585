// Devices and threads, as commands name them.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

namespace dietmt::encoders {

/// "cpu", "cuda" or "cuda:I". Throws ConfigError if the device is not there.
c10::Device parse_device(const std::string& name);

/// Sets the threads of tensor operations; 0: as many as there are cores. Returns their number.
int64_t set_threads(int64_t threads);

}  // namespace dietmt::encoders
