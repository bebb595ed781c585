#include "nmt/engine/thread_team.h"

#include <omp.h>

#include <algorithm>

namespace dietmt::nmt {
namespace {

// Some ten microseconds: longer than most pauses within a step. Then others get the core, if there
// are more threads than cores, and a helper that has waited on sleeps.
constexpr int kSpins = 1000;
constexpr int kYields = 1000;

void relax(int spins) {
  if (spins >= kSpins) return std::this_thread::yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadTeam::ThreadTeam(int64_t threads) {
  for (int64_t t = 1; t < threads; ++t) helpers_.emplace_back([this, t] { help(t); });
}

ThreadTeam::~ThreadTeam() {
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

void ThreadTeam::finish() const {
  for (int spins = 0; working_.load(std::memory_order_acquire) > 0;
       spins = std::min(spins + 1, kSpins))
    relax(spins);
}

void ThreadTeam::help(int64_t t) {
  omp_set_num_threads(1);
  for (uint64_t round = 1; wait_for(round); ++round) {
    call_.function(call_.object, t);
    working_.fetch_sub(1, std::memory_order_release);
  }
}

bool ThreadTeam::wait_for(uint64_t round) {
  for (int spins = 0; spins < kSpins + kYields; ++spins) {
    if (round_.load() >= round) return true;
    if (stopped_.load(std::memory_order_relaxed)) return false;
    relax(spins);
  }
  std::unique_lock lock(mutex_);
  sleeping_.fetch_add(1);
  woken_.wait(lock, [&] { return round_.load() >= round || stopped_.load(); });
  sleeping_.fetch_sub(1);
  return round_.load() >= round;
}

}  // namespace dietmt::nmt
