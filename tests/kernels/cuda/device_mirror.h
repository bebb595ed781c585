// A test's host memory and its copy on the GPU, with explicit copies in between: the kernels get
// only addresses of GPU memory.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "tests/kernels/cuda/rowwise/gpu_memory.h"

namespace dietmt::kernels {

class DeviceMirror {
 public:
  /// Host memory, aligned to 256 bytes and filled with `fill`, which lives as long as this object.
  void* allocate(size_t bytes, int fill) {
    const size_t size = (bytes / 256 + 1) * 256;
    std::unique_ptr<void, decltype(&std::free)> host(std::aligned_alloc(256, size), &std::free);
    std::memset(host.get(), fill, size);
    const auto address = reinterpret_cast<uintptr_t>(host.get());
    blocks_.emplace(address, Block{std::move(host), size, device_memory(size, 0)});
    return reinterpret_cast<void*>(address);
  }

  /// A copy of `call` whose pointers into this memory point to the GPU's copy, which is refreshed
  /// for the blocks that the call uses. Other pointers stay.
  template <typename Call>
  Call on_device(const Call& call) {
    auto words = std::bit_cast<std::array<uintptr_t, sizeof(Call) / sizeof(uintptr_t)>>(call);
    named_.clear();
    for (uintptr_t& word : words) {
      auto after = blocks_.upper_bound(word);
      if (after == blocks_.begin()) continue;
      const auto& [address, block] = *std::prev(after);
      if (word - address >= block.size) continue;
      named_.push_back(address);
      word = reinterpret_cast<uintptr_t>(block.device.get()) + (word - address);
    }
    for (const uintptr_t address : named_) {
      const Block& block = blocks_.at(address);
      require_cuda(
          cudaMemcpy(block.device.get(), block.host.get(), block.size, cudaMemcpyHostToDevice),
          "copy to the GPU");
    }
    return std::bit_cast<Call>(words);
  }

  /// Waits for the GPU, and copies the blocks of the last call back.
  void copy_back() {
    require_cuda(cudaDeviceSynchronize(), "kernels");
    for (const uintptr_t address : named_) {
      const Block& block = blocks_.at(address);
      require_cuda(
          cudaMemcpy(block.host.get(), block.device.get(), block.size, cudaMemcpyDeviceToHost),
          "copy from the GPU");
    }
  }

 private:
  struct Block {
    std::unique_ptr<void, decltype(&std::free)> host;
    size_t size;
    DeviceMemory device;
  };

  std::map<uintptr_t, Block> blocks_;  // by host address
  std::vector<uintptr_t> named_;
};

}  // namespace dietmt::kernels
