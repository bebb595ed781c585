#include "encoders/device/device.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <spdlog/spdlog.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <ranges>
#include <unordered_map>

#include "common/error.h"
#include "common/process.h"
#include "encoders/device/device_memory.h"

namespace dietmt::encoders {
namespace {

constexpr char kFile[] = "libdietmt_cuda.so";

std::array<DeviceBackend, c10::COMPILE_TIME_MAX_DEVICE_TYPES> registered{};

// Where the program lies, or the shared library that holds this code.
std::filesystem::path own_folder() {
  Dl_info place{};
  const bool is_known = dladdr(reinterpret_cast<const void*>(&own_folder), &place) != 0;
  return is_known ? std::filesystem::path(place.dli_fname).parent_path() : "";
}

LoadedCudaKernels load() {
  // Registers LibTorch's own CUDA kernels and opens its symbols to the shared object.
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) return {{}, dlerror()};
  std::error_code ignored;
  const auto program = program_path().parent_path(), own = own_folder();
  LoadedCudaKernels result;
  for (const auto& folder : {program, program / ".." / "lib", own, own / ".."}) {
    if (!std::filesystem::exists(folder / kFile, ignored)) continue;
    void* const library = dlopen((folder / kFile).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      result.problem = dlerror();
      continue;
    }
    using Backend = const DeviceBackend* (*)();
    const auto backend = reinterpret_cast<Backend>(dlsym(library, "dietmt_cuda_backend"));
    if (backend != nullptr) return {*backend(), {}};
    result.problem = (folder / kFile).string() + " has no kernels";
  }
  if (result.problem.empty()) result.problem = "the program was built without CUDA kernels";
  return result;
}

std::string reason_for_no_gpu() {
  const std::string& problem = cuda_kernels().problem;
  return ". A GPU needs NVIDIA's driver, and LibTorch with CUDA: scripts/setup fetches that on a "
         "machine with a GPU, and LD_LIBRARY_PATH can name the folder lib of Python's package "
         "torch" +
         (problem.empty() ? "" : " (" + problem + ")");
}

}  // namespace

int64_t visible_gpus() {
  cuda_kernels();  // loads LibTorch's CUDA part where there is one
  return static_cast<int64_t>(torch::cuda::device_count());
}

c10::Device parse_device(const std::string& name) {
  try {
    const c10::Device device(name);
    if (device.is_cpu()) return device;
    if (device.is_cuda()) {
      const int64_t count = visible_gpus();
      const int64_t index = device.has_index() ? device.index() : 0;
      if (index < count) {
        if (const std::string& problem = cuda_kernels().problem; !problem.empty())
          spdlog::warn(
              "--device {}: LibTorch computes without dietmt's CUDA kernels, which is slower: {}",
              name, problem);
        return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index));
      }
      throw ConfigError("--device " + name + ": LibTorch sees " + std::to_string(count) + " GPUs" +
                        (count == 0 ? reason_for_no_gpu() : ""));
    }
  } catch (const c10::Error&) {
    // Not a device name at all: falls through to the message below.
  }
  throw ConfigError("--device is '" + name + "'; it must be cpu, cuda or cuda:I");
}

std::vector<c10::Device> parse_devices(const std::string& names) {
  std::vector<c10::Device> devices;
  for (const auto name : names | std::views::split(',')) {
    const c10::Device device = parse_device(std::string(name.begin(), name.end()));
    if (std::ranges::find(devices, device) != devices.end())
      throw ConfigError("--device names " + device.str() + " twice");
    devices.push_back(device);
  }
  if (devices.empty()) return {parse_device(names)};
  if (devices.size() > 1 && std::ranges::any_of(devices, &c10::Device::is_cpu))
    throw ConfigError("--device is '" + names + "', but only GPUs can be combined");
  return devices;
}

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9

namespace {

// A template because allocators of LibTorch 2.9 have statistics but not the amount left.
template <typename Allocator>
std::optional<int64_t> free_memory_of(Allocator& allocator, c10::DeviceIndex index) {
  if constexpr (requires { allocator.getMemoryInfo(index); }) {
    const auto stats = allocator.getDeviceStats(index);
    // Memory that the allocator caches counts as used on the device, but is available to us.
    const int64_t kept = stats.reserved_bytes[0].current - stats.allocated_bytes[0].current;
    return static_cast<int64_t>(allocator.getMemoryInfo(index).first) + std::max<int64_t>(kept, 0);
  } else {
    return std::nullopt;
  }
}

}  // namespace

std::optional<int64_t> free_device_memory(c10::Device device) {
  if (device.is_cpu()) return std::nullopt;
  auto* allocator = dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(device.type()));
  if (allocator == nullptr) return std::nullopt;
  return free_memory_of(*allocator, device.has_index() ? device.index() : c10::DeviceIndex{0});
}

#else  // LibTorch 2.8 has no allocator that is the same for all devices

std::optional<int64_t> free_device_memory(c10::Device /*device*/) { return std::nullopt; }

#endif

void make_current(c10::Device device) {
  if (!device.is_cpu()) c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
}

int64_t set_threads(int64_t threads) {
  // Threads of one loop wait for each other, so that many more of them than cores take minutes.
  constexpr int64_t kAlways = 16;
  const int64_t cores = usable_cores();
  const int64_t most = std::max(cores, kAlways);
  if (threads > most) {
    spdlog::warn("--threads {}: this machine has {} cores; using {} threads", threads, cores, most);
    threads = most;
  }
  if (threads == 0) threads = cores;
  at::set_num_threads(static_cast<int>(threads));
  return threads;
}

const LoadedCudaKernels& cuda_kernels() {
  static const LoadedCudaKernels loaded = load();
  return loaded;
}

namespace {

const DeviceBackend& backend_of(c10::Device device) {
  static const DeviceBackend none;
  if (device.is_cpu()) return none;
  if (device.is_cuda()) return cuda_kernels().backend;
  return registered[static_cast<size_t>(device.type())];
}

/// Asks each device once, because every operation looks for its kernels.
bool runs_kernels(c10::Device device) {
  static std::mutex mutex;
  static std::unordered_map<c10::Device, bool> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(device); found != known.end()) return found->second;
  const std::string reason = reason_for_no_kernels(device);
  if (!reason.empty())
    spdlog::warn("{}: LibTorch computes without dietmt's kernels, which is slower: {}",
                 device.str(), reason);
  return known.emplace(device, reason.empty()).first->second;
}

}  // namespace

const kernels::DeviceKernels* device_kernels(c10::Device device) {
  const DeviceBackend& backend = backend_of(device);
  return backend.reason_against == nullptr || runs_kernels(device) ? backend.kernels : nullptr;
}

std::string reason_for_no_kernels(c10::Device device) {
  const DeviceBackend& backend = backend_of(device);
  if (backend.kernels == nullptr)
    return device.is_cuda() ? cuda_kernels().problem : "there are none for this kind of device";
  return backend.reason_against == nullptr ? "" : backend.reason_against(device);
}

std::string device_identity(c10::Device device) {
  const DeviceBackend& backend = backend_of(device);
  return backend.identity == nullptr ? std::string() : backend.identity(device);
}

namespace {

std::atomic<bool> are_graphs_allowed = true;

}  // namespace

void allow_graphs(bool allowed) { are_graphs_allowed = allowed; }

bool graphs_allowed() { return are_graphs_allowed; }

std::unique_ptr<DeviceGraphs> graphs_of(c10::Device device) {
  const DeviceBackend& backend = backend_of(device);
  const bool has_graphs = backend.graphs != nullptr && device_kernels(device) != nullptr;
  if (!has_graphs || !graphs_allowed()) return nullptr;
  try {
    return backend.graphs(device);
  } catch (const c10::Error& error) {
    spdlog::warn("{} records no graphs: {}", device.str(), error.what_without_backtrace());
    return nullptr;
  }
}

bool records_or_warns(const std::string& work, const DeviceGraphs& graphs,
                      const std::function<void()>& record) {
  try {
    try {
      record();
    } catch (const c10::OutOfMemoryError&) {
      release_cached_memory(graphs.device());
      record();
    }
    return true;
  } catch (const c10::Error& error) {
    warn_without_graphs(work, error.what_without_backtrace());
  } catch (const std::exception& error) {
    warn_without_graphs(work, error.what());
  }
  return false;
}

void warn_without_graphs(const std::string& work, const std::string& problem) {
  spdlog::warn("{} goes on without graphs of the device: {}", work, problem);
}

kernels::ElementType element_type(at::ScalarType type) {
  if (type == at::kFloat) return kernels::ElementType::kFloat;
  return type == at::kHalf ? kernels::ElementType::kHalf : kernels::ElementType::kBFloat16;
}

at::Tensor staging_tensor(int64_t count, c10::Device device) {
  return at::empty({count}, at::TensorOptions(at::kLong).pinned_memory(
                                at::accelerator::isAccelerator(device.type())));
}

at::Tensor copy_to_device(const at::Tensor& host, c10::Device device) {
  if (device.is_cpu()) return host;
  const bool pinned = at::accelerator::isAccelerator(device.type());
  const at::Tensor staged = at::empty(host.sizes(), host.options().pinned_memory(pinned));
  return staged.copy_(host).to(device, /*non_blocking=*/true);
}

void register_device_backend(c10::DeviceType type, const DeviceBackend& backend) {
  registered[static_cast<size_t>(type)] = backend;
}

}  // namespace dietmt::encoders
