// The processes of one training, and what they do together: sums, broadcasts and gatherings over
// c10d, by Gloo for tensors on the CPU and NCCL for those on a GPU.
//
// All processes call the same operations in the same order. Where one ends or cannot be reached any
// more, the others' operations throw PeerError; a process that is not in an operation then ends
// after two seconds, with the same message and exit code 75.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "training/processes/introduction.h"
#include "training/processes/process_place.h"

namespace dietmt::training {

class ProcessGroup {
 public:
  /// Connects the devices of the processes, as connect_nccl().
  using Connect = std::function<c10::intrusive_ptr<c10d::Backend>(
      const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t processes,
      std::chrono::milliseconds timeout)>;

  /// Waits for all processes of `place`. Throws Error where rank 0 cannot listen, PeerError if
  /// processes are missing after five minutes, ConfigError where `device` is a GPU and this program
  /// has no NCCL, Error if that cannot connect the GPU of this one (another one that cannot has
  /// spoken: FirstProcessFailed). If one of them cannot train with the
  /// others, rank 0 throws ConfigError, which names it (training/processes/introduction.h), and the
  /// others FirstProcessFailed. `problem`: why this one cannot; empty: nothing.
  ProcessGroup(const ProcessPlace& place, at::Device device, const std::string& problem = {});
  ProcessGroup(const ProcessPlace& place, at::Device device, const std::string& problem,
               const Connect& connect);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int64_t rank() const { return rank_; }
  int64_t processes() const { return processes_; }
  /// Whether this one writes files and log lines.
  bool is_first() const { return rank_ == 0; }

  /// Starts to replace `values` by the sum over all processes. They are there when the returned
  /// function has been called, which is to be done once.
  [[nodiscard]] std::function<void()> start_sum(at::Tensor values);
  void sum(at::Tensor values) { start_sum(std::move(values))(); }

  /// Replaces `values` by those of rank 0.
  void broadcast(at::Tensor values);
  std::string broadcast(std::string text);

  /// Process r gives part r of `values` [processes * n]; then all have all of them.
  void share_parts(at::Tensor values);

  /// The parts [n] of all processes, end to end, at rank 0; an undefined tensor at the others.
  at::Tensor gather(const at::Tensor& part);

  /// Waits until all processes are here.
  void barrier();

  /// Waits until all processes have done their work, and may end.
  void finish();

  /// This process does not end for another one's sake while the lock is held.
  [[nodiscard]] std::unique_lock<std::mutex> hold();

 private:
  struct Impl;

  void meet(const Introduction& own);
  void connect_devices(at::Device device, const Connect& connect);

  int64_t rank_;
  int64_t processes_;
  std::unique_ptr<Impl> impl_;
};

/// What the first process does before the others do the same, all at a time:
///
///   FirstTurn turn(group);
///   ...
///   turn.done();
///
/// Where the first one does not come to the end, the others throw FirstProcessFailed, or Stopped if
/// it was asked to stop, instead of beginning. Nothing for a single process (null).
class FirstTurn {
 public:
  explicit FirstTurn(ProcessGroup* group);
  ~FirstTurn();
  FirstTurn(const FirstTurn&) = delete;
  FirstTurn& operator=(const FirstTurn&) = delete;

  void done();

 private:
  ProcessGroup* group_;  // null where nothing is left to tell
};

/// True for a single process (null) and for the first of several.
inline bool is_first(const ProcessGroup* group) { return group == nullptr || group->is_first(); }

/// Collectives between GPUs, over NCCL. Throws ConfigError if dietmt was built without them.
c10::intrusive_ptr<c10d::Backend> connect_nccl(const c10::intrusive_ptr<c10d::Store>& store,
                                               int64_t rank, int64_t processes,
                                               std::chrono::milliseconds timeout);

}  // namespace dietmt::training
