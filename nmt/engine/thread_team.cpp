#include "nmt/engine/thread_team.h"

#include <omp.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

// The spins take about ten microseconds, longer than most pauses within a step. Yields then leave
// the core to others if there are more threads than cores.
constexpr int kSpins = 1000;
constexpr int kYields = 1000;

// False when `condition` still does not hold: time to sleep.
template <typename Condition>
bool spin_until(const Condition& condition) {
  for (int spins = 0; spins < kSpins + kYields; ++spins) {
    if (condition()) return true;
    if (spins >= kSpins) {
      std::this_thread::yield();
      continue;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");  // waits for tens of cycles; most processors ignore `yield`
#endif
  }
  return false;
}

}  // namespace

ThreadTeam::ThreadTeam(int64_t threads) {
  try {
    helpers_.reserve(static_cast<size_t>(std::max<int64_t>(1, threads)) - 1);
    for (int64_t t = 1; t < threads; ++t) helpers_.emplace_back([this, t] { help(t); });
  } catch (const std::system_error& error) {
    const int64_t started = size();
    stop();
    throw Error("the system could start only " + std::to_string(started) + " of " +
                std::to_string(threads) + " threads (" + error.code().message() +
                "): lower --workers or --threads");
  } catch (...) {
    stop();
    throw;
  }
}

ThreadTeam::~ThreadTeam() { stop(); }

void ThreadTeam::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  woken_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

ThreadTeam::Range ThreadTeam::share(int64_t count, int64_t unit, int64_t t) const {
  const int64_t units = (count + unit - 1) / unit;
  const auto border = [&](int64_t k) { return std::min(count, units * k / size() * unit); };
  return {border(t), border(t + 1)};
}

void ThreadTeam::start(Call call) {
  call_ = call;
  working_.store(static_cast<int64_t>(helpers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1);
  if (sleeping_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  woken_.notify_all();
}

void ThreadTeam::finish() {
  const auto all_done = [&] { return working_.load() == 0; };
  if (!spin_until(all_done)) {
    std::unique_lock lock(mutex_);
    caller_sleeps_ = true;
    finished_.wait(lock, all_done);
    caller_sleeps_ = false;
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadTeam::keep_failure() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
}

void ThreadTeam::help(int64_t t) {
  for (uint64_t round = 1; wait_for(round); ++round) {
    // Not earlier: it allocates, and ends the process if it cannot, also in a team that fails to
    // start.
    if (round == 1) omp_set_num_threads(1);
    try {
      call_.function(call_.object, t);
    } catch (...) {
      keep_failure();
    }
    if (working_.fetch_sub(1) > 1 || !caller_sleeps_.load()) continue;
    const std::lock_guard lock(mutex_);
    finished_.notify_one();
  }
}

bool ThreadTeam::wait_for(uint64_t round) {
  const auto called = [&] { return round_.load() >= round || stopped_.load(); };
  if (!spin_until(called)) {
    std::unique_lock lock(mutex_);
    sleeping_.fetch_add(1);
    woken_.wait(lock, called);
    sleeping_.fetch_sub(1);
  }
  return round_.load() >= round;
}

}  // namespace dietmt::nmt
