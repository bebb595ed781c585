// Notices at once when another process of a training ends or its machine is gone, whatever this one
// is doing: computing, validating, waiting for a collective.
//
// Each process holds an idle connection to rank 0, and a thread waits for its end. A process that
// loses its connection ends, which closes its own connections, and so all end.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "training/processes/peer_connections.h"

namespace dietmt::training {

class PeerWatch {
 public:
  /// `connections`: of connect_peers(). The thread calls `lost` when a process has been gone for
  /// two seconds and this one has not ended by itself; `lost` is expected to end the process.
  PeerWatch(std::vector<Descriptor> connections, std::function<void()> lost);
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  /// All processes are about to end normally: the others do not miss this one from now on.
  void part();

  /// `lost` is not called while the lock is held.
  std::unique_lock<std::mutex> hold() { return std::unique_lock(holding_); }

  /// True for only one caller, who reports that a process is lost; the thread asks as well.
  bool may_report() { return !reported_.exchange(true); }

 private:
  void watch();
  bool stopped_within(int milliseconds) const;

  std::function<void()> lost_;
  std::vector<Descriptor> connections_;
  Descriptor stop_;  // an eventfd
  std::mutex holding_;
  std::atomic<bool> reported_ = false;
  std::thread thread_;
};

}  // namespace dietmt::training
