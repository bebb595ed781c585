// The processes of a training run, as threads of one process.
#pragma once

#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "training/distributed/process_group.h"
#include "training/distributed/process_launcher.h"

namespace dietmt::training {

inline ProcessPlace place_of(int64_t rank, int64_t processes, const RendezvousStore& rendezvous) {
  ProcessPlace place;
  place.rank = rank;
  place.processes = processes;
  place.address = "127.0.0.1";
  place.port = rendezvous.port();
  place.launcher_keeps_store = true;
  return place;
}

// LibTorch's flight recorder is one object per process; ranks that are threads would race. It reads
// this when any test first makes a group.
inline const int kNoFlightRecorder = ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);

/// Runs `work` in each process of a group; rethrows what the first of them threw.
inline void run_ranks(int64_t processes, const std::function<void(ProcessGroup&)>& work) {
  const RendezvousStore rendezvous;
  std::vector<std::exception_ptr> failures(static_cast<size_t>(processes));
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < processes; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ProcessGroup group(place_of(rank, processes, rendezvous), at::kCPU);
        work(group);
        group.finish();
      } catch (...) {
        failures[static_cast<size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace dietmt::training
