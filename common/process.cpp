#include "common/process.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "common/exit_kinds.h"
#include "common/logging.h"

namespace dietmt {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> signalled = false;
std::optional<Clock::time_point> deadline;

// The first signal sets the flag; the second ends the process as usual.
void wait_for_both(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  signalled = true;
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
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
      if (signal == SIGHUP && is_ignored(signal)) continue;
      sigaddset(&signals, signal);
      std::signal(signal, SIG_DFL);  // sigwait() misses ignored signals
    }
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread(wait_for_both, signals).detach();
  });
}

void explain_interruption(std::string message) {
  if (is_ignored(SIGINT)) return;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, message = std::move(message)] {
    int signal = 0;
    sigwait(&signals, &signal);
    log_fatal_error(message);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    raise(signal);
  }).detach();
}

void stop_after(std::chrono::duration<double> time) {
  deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
}

bool stop_requested() { return signalled || (deadline && Clock::now() >= *deadline); }

// With several processes, another one may have received the signal.
const char* stop_reason() {
  return signalled || !deadline ? "stopped by a signal" : "stopped by --max-time";
}

void throw_if_stop_requested() {
  if (stop_requested()) throw Stopped(stop_reason());
}

int64_t usable_cores() { return std::max(1U, std::thread::hardware_concurrency()); }

bool is_ignored(int signal) {
  struct sigaction now = {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace dietmt
