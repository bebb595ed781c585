// SIGHUP, SIGTERM and SIGINT for a program of many threads: they are blocked, and the main thread
// waits for them.
#pragma once

#include <chrono>
#include <csignal>

namespace dietmt::service {

class ServeSignals {
 public:
  enum class Event { kNone, kReload, kStop };

  /// Before the first thread is started, which inherits what is blocked.
  ServeSignals();

  /// Back to what was before: a second SIGTERM, while the server drains, ends the process.
  ~ServeSignals();
  ServeSignals(const ServeSignals&) = delete;
  ServeSignals& operator=(const ServeSignals&) = delete;

  /// The next signal: SIGHUP asks for a reload, the others for the end. kNone after `patience`.
  Event wait(std::chrono::milliseconds patience) const;

 private:
  sigset_t signals_;
  sigset_t before_;
};

}  // namespace dietmt::service
