// Collectives between GPUs, where this program was built with them.
#pragma once

#include <chrono>
#include <cstdint>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace dietmt::training {

/// Throws ConfigError where it was built without.
c10::intrusive_ptr<c10d::Backend> connect_nccl(const c10::intrusive_ptr<c10d::Store>& store,
                                               int64_t rank, int64_t processes,
                                               std::chrono::milliseconds timeout);

}  // namespace dietmt::training
