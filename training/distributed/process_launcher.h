// Starts the processes of a training on this machine: what --processes asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dietmt::training {

/// Where the processes of a training find each other, kept by the one that has started them.
class MeetingPlace {
 public:
  /// Listens at a free port of this machine. Throws Error if that is impossible.
  MeetingPlace();
  ~MeetingPlace();
  MeetingPlace(const MeetingPlace&) = delete;
  MeetingPlace& operator=(const MeetingPlace&) = delete;

  int64_t port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Starts this program `processes` times with the words of a command (`train`, options) and waits
/// for all. Passes SIGTERM, SIGINT and SIGHUP on to each. If one fails, the others get half a
/// minute to notice and are then killed. Returns the exit code of a process that failed by itself
/// (of rank 0 if it did), 75 if one was killed or all stopped, or else 0.
int run_processes(int64_t processes, const std::vector<std::string>& words);

}  // namespace dietmt::training
