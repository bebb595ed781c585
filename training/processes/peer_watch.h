// Notices at once when another process of a training ends or its machine is gone, whatever this one
// is doing: computing, validating, waiting for a collective.
//
// Each process holds an idle connection to rank 0, and a thread that waits for its end. A process
// without one ends, which ends its own connections, and so all end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace dietmt::training {

/// How rank 0 tells the others the port at which it waits for them.
struct PortExchange {
  std::function<void(int64_t port)> publish;
  std::function<int64_t()> look_up;
};

class PeerWatch {
 public:
  /// `address`: where rank 0 is found. `lost` is called, in the thread, when a process has been
  /// gone for two seconds and this one has not ended by itself; it does not return. Throws
  /// PeerError where the connections cannot be made.
  PeerWatch(int64_t rank, int64_t processes, const std::string& address, const PortExchange& ports,
            std::function<void()> lost);
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  /// All processes are about to end as they should: none of them is missed from now on.
  void part();

  /// `lost` is not called while the lock is held.
  std::unique_lock<std::mutex> hold() { return std::unique_lock(holding_); }

  /// True for one caller alone, who may say that a process is lost; the thread asks as well.
  bool may_report() { return !reported_.exchange(true); }

 private:
  void accept_all(int64_t count, const PortExchange& ports);
  void watch();
  // Whether the process at the other end has not parted.
  bool is_lost(int connection) const;
  bool stopped_within(int milliseconds) const;

  std::function<void()> lost_;
  std::vector<int> connections_;
  int stop_ = -1;  // an eventfd
  std::mutex holding_;
  std::atomic<bool> reported_ = false;
  std::thread thread_;
};

}  // namespace dietmt::training
