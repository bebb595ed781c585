// Notices at once when another process of a training run ends or its machine disappears, whatever
// this one is doing: computing, validating or waiting for a collective.
//
// Each process holds an idle connection to rank 0, and a thread waits for it to close. A process
// that loses its connection ends, which closes its own connections, so that all processes end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"

namespace dietmt::training {

/// How rank 0 tells the others its port and the run's token: one text that only they can read (a
/// key of the run's store). `look_up` waits for it.
struct Rendezvous {
  std::function<void(const std::string& text)> publish;
  std::function<std::string()> look_up;
};

/// Returns rank 0's connections to ranks 1, 2, ...; or another rank's connection to rank 0, which
/// is at `address`. Rank 0 closes connections that do not send the token and a missing rank, so
/// that port scans and other training runs do no harm. Throws PeerError if a rank does not arrive
/// within five minutes, or rank 0 does not accept this one.
std::vector<FileDescriptor> connect_peers(int64_t rank, int64_t processes,
                                          const std::string& address, const Rendezvous& rendezvous);

class PeerWatch {
 public:
  /// `connections`: from connect_peers(). The thread calls `lost` when a process has been gone for
  /// two seconds and this one has not ended by itself; `lost` should end the process.
  PeerWatch(std::vector<FileDescriptor> connections, std::function<void()> lost);
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  /// All processes are about to exit normally: from now on the others do not miss this one.
  void part();

  /// `lost` is not called while the lock is held.
  std::unique_lock<std::mutex> hold() { return std::unique_lock(holding_); }

  /// True for the first caller only, who reports that a process is lost; the thread asks as well.
  bool may_report() { return !reported_.exchange(true); }

 private:
  void watch();
  bool stopped_within(int milliseconds) const;

  std::function<void()> lost_;
  std::vector<FileDescriptor> connections_;
  FileDescriptor stop_, stopper_;  // two ends of a pipe
  std::mutex holding_;
  std::atomic<bool> reported_ = false;
  std::thread thread_;
};

}  // namespace dietmt::training
