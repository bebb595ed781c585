// Starts the processes of a training run on this machine, for --processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dietmt::training {

/// Where the processes of a training run find each other, kept by the launcher.
class RendezvousStore {
 public:
  /// Listens on a free port of this machine. Throws Error if that fails.
  RendezvousStore();
  ~RendezvousStore();
  RendezvousStore(const RendezvousStore&) = delete;
  RendezvousStore& operator=(const RendezvousStore&) = delete;

  int64_t port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Starts `processes` copies of this program with the words of a command (`train`, options) and
/// waits for them. Forwards SIGTERM, SIGINT and SIGHUP. If one fails, the others get half a minute
/// to notice before they are killed. Returns the exit code of a process that failed by itself (rank
/// 0's if it did), 75 if one was killed or all stopped, else 0.
int run_processes(int64_t processes, const std::vector<std::string>& words);

}  // namespace dietmt::training
