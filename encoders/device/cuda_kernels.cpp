#include "encoders/device/cuda_kernels.h"

#include <dlfcn.h>

#include <filesystem>

namespace dietmt::encoders {
namespace {

constexpr char kFile[] = "libdietmt_attention_cuda.so";

LoadedCudaKernels load() {
  // Registers LibTorch's own CUDA kernels and opens its symbols to the shared object.
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) return {nullptr, dlerror()};
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  LoadedCudaKernels result;
  for (const auto& folder : {program, program / ".." / "lib"}) {
    if (!std::filesystem::exists(folder / kFile, ignored)) continue;
    void* const library = dlopen((folder / kFile).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      result.problem = dlerror();
      continue;
    }
    using Kernels = const CudaKernels* (*)();
    const auto kernels = reinterpret_cast<Kernels>(dlsym(library, "dietmt_cuda_kernels"));
    if (kernels != nullptr) return {kernels(), {}};
    result.problem = (folder / kFile).string() + " has no kernels";
  }
  if (result.problem.empty()) result.problem = "the program was built without CUDA kernels";
  return result;
}

}  // namespace

const LoadedCudaKernels& cuda_kernels() {
  static const LoadedCudaKernels loaded = load();
  return loaded;
}

}  // namespace dietmt::encoders
