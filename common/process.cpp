#include "common/process.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/error.h"

namespace dietmt {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> signalled = false;
std::optional<Clock::time_point> deadline;

// The first signal sets the flag, the second one ends the process as by default.
void wait_for_both(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  signalled = true;
  sigwait(&signals, &signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  raise(signal);
}

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

// The number in a file of a control group, which holds nothing else; "max" means no limit.
int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? number : kUnknown;
}

int64_t system_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (int64_t kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return kilobytes * 1024;
  return kUnknown;
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

void stop_after(std::chrono::duration<double> time) {
  deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
}

bool stop_requested() { return signalled || (deadline && Clock::now() >= *deadline); }

// With several processes, another one may have got the signal.
const char* stop_reason() {
  return signalled || !deadline ? "stopped by a signal" : "stopped by --max-time";
}

void throw_if_stop_requested() {
  if (stop_requested()) throw Stopped(stop_reason());
}

bool is_ignored(int signal) {
  struct sigaction now = {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

int64_t peak_memory() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss * 1024;
}

int64_t available_memory() {
  const int64_t limit = number_in("/sys/fs/cgroup/memory.max");
  const int64_t used = number_in("/sys/fs/cgroup/memory.current");
  const int64_t group = limit == kUnknown || used == kUnknown ? kUnknown : limit - used;
  return std::max<int64_t>(0, std::min(system_memory(), group));
}

std::string memory_problem(const std::string& what, double bytes) {
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return {};
  constexpr double kGigabyte = 1e9;
  return fmt::format("{}: needs about {:.1f} GB of memory, but only {:.1f} GB are available", what,
                     bytes / kGigabyte, available / kGigabyte);
}

}  // namespace dietmt
