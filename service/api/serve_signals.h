// SIGHUP, SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 in a program with many threads: all threads block
// them, and the main thread waits for them.
#pragma once

#include <chrono>
#include <csignal>

namespace dietmt::service {

class ServeSignals {
 public:
  enum class Event { kNone, kReload, kStop, kLogMore, kLogLess };

  /// Construct it before the first thread starts: threads inherit the blocked signals.
  ServeSignals();

  /// Restores the signals: a second SIGTERM, while the server drains, ends the process.
  ~ServeSignals();
  ServeSignals(const ServeSignals&) = delete;
  ServeSignals& operator=(const ServeSignals&) = delete;

  /// Waits for the next signal: kReload for SIGHUP, kLogMore for SIGUSR1, kLogLess for SIGUSR2,
  /// kStop for the others, kNone after `patience`.
  Event wait(std::chrono::milliseconds patience) const;

 private:
  sigset_t signals_;
  sigset_t before_;
};

}  // namespace dietmt::service
