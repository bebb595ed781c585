#include "common/process.h"

#include <pthread.h>
#include <spdlog/cfg/env.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

#include "common/error.h"

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

void init_logging() {
  auto logger = spdlog::stderr_color_mt("dietmt");
  logger->set_pattern(isatty(STDERR_FILENO) ? "%^%l%$: %v" : "%Y-%m-%d %H:%M:%S %l: %v");
  spdlog::set_default_logger(std::move(logger));
  spdlog::cfg::load_env_levels();
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

}  // namespace dietmt
