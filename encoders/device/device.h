// Devices and threads, as commands name them, and the kernels of
// kernels/device_kernels.h on tensors of LibTorch's current device and stream. The kernels
// lie in their own shared object, dietmt_cuda, whose symbols of libtorch_cuda, libcudart and
// libcublasLt stay open until it is loaded. So it is built wherever nvcc is, and one program serves
// machines with and without CUDA.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encoders/device/device_graphs.h"
#include "kernels/device_kernels.h"

namespace dietmt::encoders {

/// "cpu", "cuda" or "cuda:I". Throws ConfigError if the device is not there.
c10::Device parse_device(const std::string& name);

/// One device, or several GPUs with commas between them. Throws ConfigError as parse_device() does,
/// and for one that is named twice.
std::vector<c10::Device> parse_devices(const std::string& names);

/// How many GPUs LibTorch sees.
int64_t visible_gpus();

/// Bytes that a device has left; none if it does not say so.
std::optional<int64_t> free_device_memory(c10::Device device);

/// New tensors and work of this thread go to this device of its kind; nothing on the CPU.
void make_current(c10::Device device);

/// Sets the threads of tensor operations; 0: as many as there are cores. Returns their number.
int64_t set_threads(int64_t threads);

/// Kernels and graphs that a device adds to LibTorch's operators.
struct DeviceBackend {
  const kernels::DeviceKernels* kernels = nullptr;
  std::unique_ptr<DeviceGraphs> (*graphs)(c10::Device) = nullptr;
  std::string (*identity)(c10::Device) = nullptr;
  /// Why a device cannot run the kernels; empty if it can. Null: every device can.
  std::string (*reason_against)(c10::Device) = nullptr;
};

struct LoadedCudaKernels {
  DeviceBackend backend;
  std::string problem;  // why there is none
};

/// Loads libtorch_cuda and the shared object at the first call, the latter from the program's
/// folder or its ../lib, or this library's folder or the one above. Call it before asking LibTorch.
const LoadedCudaKernels& cuda_kernels();

/// A name that no other device has, on this machine or another; empty on the CPU and for devices
/// that have none.
std::string device_identity(c10::Device device);

/// The fused kernels of a device; null on the CPU and where there are none. Warns once about a
/// device that cannot run those of its kind.
const kernels::DeviceKernels* device_kernels(c10::Device device);

/// Why a device other than the CPU has no fused kernels; empty if it has.
std::string reason_for_no_kernels(c10::Device device);

/// The kernels' name of a floating-point type that they know: fp32, bf16 or fp16.
kernels::ElementType element_type(at::ScalarType type);

/// [count] int64 in host memory, from which an asynchronous copy to `device` can read:
/// page-locked unless the device is the CPU.
at::Tensor staging_tensor(int64_t count, c10::Device device);

/// A tensor in host memory, on `device`: copied through page-locked memory, without a wait.
at::Tensor copy_to_device(const at::Tensor& host, c10::Device device);

/// Gives the devices of a type their backend; tests do so for a device over host memory.
void register_device_backend(c10::DeviceType type, const DeviceBackend& backend);

}  // namespace dietmt::encoders
