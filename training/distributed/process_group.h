// The processes of a training run and their collectives (sums, broadcasts and gathers) over c10d:
// Gloo for tensors on the CPU, NCCL for tensors on a GPU.
//
// All processes must call the same operations in the same order. If one ends or becomes
// unreachable, the others' operations throw PeerError; a process outside an operation ends after
// two seconds with the same message and exit code 75.
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

#include "training/processes/handshake.h"
#include "training/processes/process_place.h"

namespace dietmt::training {

class ProcessGroup {
 public:
  /// Connects the processes' devices; see connect_nccl().
  using Connect = std::function<c10::intrusive_ptr<c10d::Backend>(
      const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t processes,
      std::chrono::milliseconds timeout)>;

  /// Waits for all processes of `place`. `problem`: why this process cannot train, or "". Throws
  /// - Error if rank 0 cannot listen, or if NCCL cannot connect this process's GPU;
  /// - PeerError if processes are missing after five minutes;
  /// - ConfigError if `device` is a GPU and the program lacks NCCL, or, at rank 0, if a process
  ///   cannot train with the others (training/processes/handshake.h); it names that process;
  /// - FirstProcessFailed if another process has reported the failure.
  ProcessGroup(const ProcessPlace& place, at::Device device, const std::string& problem = {});
  ProcessGroup(const ProcessPlace& place, at::Device device, const std::string& problem,
               const Connect& connect);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int64_t rank() const { return rank_; }
  int64_t processes() const { return processes_; }
  /// Whether this process writes files and log lines.
  bool is_first() const { return rank_ == 0; }

  /// Starts to replace `values` by their sum over all processes. The sum is there after the
  /// returned function, which must be called once.
  [[nodiscard]] std::function<void()> start_sum(at::Tensor values);
  void sum(at::Tensor values) { start_sum(std::move(values))(); }

  /// Replaces `values` by rank 0's.
  void broadcast(at::Tensor values);
  std::string broadcast(std::string text);

  /// Process r contributes part r of `values` [processes * n]; afterwards every process has all
  /// parts.
  void share_parts(at::Tensor values);

  /// Concatenates the parts [n] of all processes at rank 0; an undefined tensor elsewhere.
  at::Tensor gather(const at::Tensor& part);

  /// Waits until all processes have arrived.
  void barrier();

  /// Waits until all processes have finished their work and may exit.
  void finish();

  /// While the lock is held, a lost process does not end this one.
  [[nodiscard]] std::unique_lock<std::mutex> hold();

 private:
  struct Impl;

  void shake_hands(const Handshake& own);
  void connect_devices(at::Device device, const Connect& connect);

  int64_t rank_;
  int64_t processes_;
  std::unique_ptr<Impl> impl_;
};

/// Work that the first process does before the others do the same, all at once:
///
///   RankZeroFirst turn(group);
///   ...
///   turn.done();
///
/// If the first process does not finish, the others throw FirstProcessFailed, or Stopped if it was
/// asked to stop. Does nothing for a single process (null).
class RankZeroFirst {
 public:
  explicit RankZeroFirst(ProcessGroup* group);
  ~RankZeroFirst();
  RankZeroFirst(const RankZeroFirst&) = delete;
  RankZeroFirst& operator=(const RankZeroFirst&) = delete;

  void done();

 private:
  ProcessGroup* group_;  // null if nothing is left to announce
};

/// True for a single process (null) and for the first of several.
inline bool is_first(const ProcessGroup* group) { return group == nullptr || group->is_first(); }

/// Collectives between GPUs over NCCL. Throws ConfigError if dietmt was built without NCCL.
c10::intrusive_ptr<c10d::Backend> connect_nccl(const c10::intrusive_ptr<c10d::Store>& store,
                                               int64_t rank, int64_t processes,
                                               std::chrono::milliseconds timeout);

}  // namespace dietmt::training
