#include "common/stop_signal.h"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>

#include "common/process_error.h"

namespace dietmt {
namespace {

std::atomic<bool> requested = false;

// The first signal sets the flag, the second one ends the process as by default.
void wait_for_both(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  requested = true;
  sigwait(&signals, &signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  raise(signal);
}

}  // namespace

void install_stop_signal() {
  static std::once_flag once;
  std::call_once(once, [] {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT}) {
      sigaddset(&signals, signal);
      std::signal(signal, SIG_DFL);  // sigwait() misses ignored signals
    }
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread(wait_for_both, signals).detach();
  });
}

bool stop_requested() { return requested; }

void throw_if_stop_requested() {
  if (requested) throw Stopped();
}

}  // namespace dietmt
