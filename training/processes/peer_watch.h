// Notices at once when another process of a training ends or its machine is gone, whatever this one
// is doing: computing, validating, waiting for a collective.
//
// Each process holds an idle connection to rank 0, and a thread waits for its end. A process that
// loses its connection ends, which closes its own connections, and so all end.
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

/// How rank 0 tells the others its port and the token of this training: one text that only they can
/// read (a key of the training's store). `look_up` waits for it.
struct MeetingPoint {
  std::function<void(const std::string& text)> publish;
  std::function<std::string()> look_up;
};

/// Of rank 0, the connections of ranks 1, 2, ...; of another rank, its connection to rank 0, which
/// is found at `address`. Rank 0 closes connections that do not send the token and a missing rank,
/// so that port scans and other trainings do no harm. Throws PeerError if a rank does not come
/// within five minutes, or rank 0 does not accept this one.
std::vector<FileDescriptor> connect_peers(int64_t rank, int64_t processes,
                                          const std::string& address, const MeetingPoint& meeting);

class PeerWatch {
 public:
  /// `connections`: of connect_peers(). The thread calls `lost` when a process has been gone for
  /// two seconds and this one has not ended by itself; `lost` is expected to end the process.
  PeerWatch(std::vector<FileDescriptor> connections, std::function<void()> lost);
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
  std::vector<FileDescriptor> connections_;
  FileDescriptor stop_;  // an eventfd
  std::mutex holding_;
  std::atomic<bool> reported_ = false;
  std::thread thread_;
};

}  // namespace dietmt::training
