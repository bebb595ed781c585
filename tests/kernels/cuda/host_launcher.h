// Runs the attention kernels' source on the host, with the threads of a block as fibres.
#pragma once

#include <cstring>
#include <vector>

#include "kernels/cuda/attention_driver.cuh"

namespace dietmt::kernels {

struct HostLauncher {
  HostSchedule schedule;
  int launches = 0;
  int64_t blocks = 0;

  template <typename Block>
  void launch(BlockIndex grid, const typename Block::Arguments& arguments) {
    if (grid.x == 0) return;
    ++launches;
    blocks += int64_t{grid.x} * grid.y * grid.z;
    run_on_host(
        grid, static_cast<size_t>(Block::shared_bytes(arguments)), schedule,
        [&](BlockIndex block, char* shared) { Block::run(arguments, block, shared); },
        block_threads<Block>());
  }
};

/// A workspace initialised to NaN.
class NanWorkspace {
 public:
  explicit NanWorkspace(size_t bytes) : words_(bytes / sizeof(Words) + 1) {
    std::memset(words_.data(), 0xff, words_.size() * sizeof(Words));
  }
  char* start() { return reinterpret_cast<char*>(words_.data()); }

 private:
  std::vector<Words> words_;
};

/// Forward, then backward, with a workspace initialised to NaN. Returns a launcher that has run
/// both.
HostLauncher run_attention_on_host(const AttentionBackward& call, const HostSchedule& schedule,
                                   const BackwardLimits& limits);

}  // namespace dietmt::kernels
