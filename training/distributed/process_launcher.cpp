#include "training/distributed/process_launcher.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/exit_kinds.h"
#include "common/logging.h"
#include "common/process.h"

extern char** environ;

namespace dietmt::training {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kTimeToEnd = 30s;
// `timeout` and others signal a process and then its group; that counts as one request.
constexpr auto kTimeBetweenSignals = 1s;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

// This process's variables, except those that tell a process its rank.
std::vector<std::string> environment_of(int64_t rank, int64_t processes, int64_t port) {
  const std::string count = std::to_string(processes);
  const std::map<std::string, std::string> place = {{"RANK", std::to_string(rank)},
                                                    {"LOCAL_RANK", std::to_string(rank)},
                                                    {"WORLD_SIZE", count},
                                                    {"LOCAL_WORLD_SIZE", count},
                                                    {"MASTER_ADDR", "127.0.0.1"},
                                                    {"MASTER_PORT", std::to_string(port)},
                                                    {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                    {kLaunchedVariable, "1"}};
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!place.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : place) all.push_back(name + "=" + value);
  return all;
}

sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, signal);
  if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);
  return signals;
}

class Launcher {
 public:
  Launcher(int64_t processes, std::vector<std::string> words) : words_(std::move(words)) {
    words_.insert(words_.begin(), program_path().string());
    // Blocked before the rendezvous store starts its threads.
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    const training::RendezvousStore rendezvous;
    for (int64_t rank = 0; rank < processes; ++rank)
      running_[start(environment_of(rank, processes, rendezvous.port()))] = rank;
    while (!running_.empty()) await_signal();
  }

  int exit_code() const { return code_; }

 private:
  pid_t start(std::vector<std::string> environment) {
    const std::vector<char*> arguments = pointers(words_);
    const std::vector<char*> variables = pointers(environment);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) {
      const std::string reason = std::strerror(errno);
      signal_all(SIGKILL);
      throw Error("a process cannot be started: " + reason);
    }
    if (child > 0) return child;
    // In its own group: a terminal's Ctrl-C reaches only the launcher, which passes it on.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(kResumable);
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
    execve(arguments[0], arguments.data(), variables.data());
    _exit(1);
  }

  void await_signal() {
    constexpr timespec kPatience = {1, 0};
    siginfo_t info;
    const int signal = sigtimedwait(&signals_, &info, &kPatience);
    if (signal > 0 && signal != SIGCHLD) pass_on(signal);
    reap();
    if (!running_.empty() && deadline_ && Clock::now() > *deadline_) signal_all(SIGKILL);
  }

  void pass_on(int signal) {
    if (last_signal_ && Clock::now() - *last_signal_ < kTimeBetweenSignals) return;
    last_signal_ = Clock::now();
    signal_all(signal);
  }

  void signal_all(int signal) const {
    for (const auto& [process, rank] : running_) kill(process, signal);
  }

  void reap() {
    std::vector<std::pair<int64_t, int>> ended;  // rank and status
    int status = 0;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto found = running_.find(process);
      if (found == running_.end()) continue;
      ended.emplace_back(found->second, status);
      running_.erase(found);
    }
    // A killed process is the reason why the others end.
    std::ranges::stable_partition(ended, [](const auto& end) { return WIFSIGNALED(end.second); });
    for (const auto& [rank, how] : ended) count_end(rank, how);
  }

  void count_end(int64_t rank, int status) {
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kResumable;
    if (code == 0) return;
    if (WIFSIGNALED(status) && !deadline_ && !last_signal_) {
      spdlog::error(
          "the process of rank {} was killed by signal {} ({}), and the training ends; its "
          "checkpoints are whole, and the same command continues from the last one",
          rank, WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    if (!deadline_) deadline_ = Clock::now() + kTimeToEnd;
    const bool knows_why = rank == 0 && code != kResumable;
    if (code_ == 0 || code_ == kResumable || knows_why) code_ = code;
  }

  sigset_t signals_ = awaited_signals();
  std::vector<std::string> words_;
  std::map<pid_t, int64_t> running_;  // rank of each
  int code_ = 0;
  std::optional<Clock::time_point> last_signal_;
  std::optional<Clock::time_point> deadline_;  // set once a process has failed
};

}  // namespace

struct RendezvousStore::Impl {
  c10::intrusive_ptr<c10d::TCPStore> store;
};

RendezvousStore::RendezvousStore() : impl_(std::make_unique<Impl>()) {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  try {
    impl_->store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  } catch (const c10::Error& error) {
    throw Error(std::string("cannot listen on any port of this machine: ") +
                error.what_without_backtrace());
  }
}

RendezvousStore::~RendezvousStore() = default;

int64_t RendezvousStore::port() const { return impl_->store->getPort(); }

int run_processes(int64_t processes, const std::vector<std::string>& words) {
  return Launcher(processes, words).exit_code();
}

}  // namespace dietmt::training
