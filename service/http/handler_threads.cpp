#include "service/http/handler_threads.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <system_error>
#include <utility>

#include "common/process.h"

namespace dietmt::service {
namespace {

constexpr size_t kFirstNodes = 128;  // the queue allocates more when they are used up

}  // namespace

HandlerThreads::HandlerThreads(int64_t max_threads, int64_t max_backlog, int niceness)
    : max_threads_(max_threads),
      max_accepted_(max_threads + max_backlog),
      niceness_(niceness),
      queue_(kFirstNodes),
      starter_([this] { start_threads(); }) {}

HandlerThreads::~HandlerThreads() {
  ending_ = true;
  thread_wanted_.release();
  starter_.join();
  for (size_t i = 0; i < threads_.size(); ++i) queued_.release();
  for (std::thread& thread : threads_) thread.join();
}

bool HandlerThreads::submit(Work work) {
  if (accepted_.fetch_add(1) >= max_accepted_) {
    --accepted_;
    return false;
  }
  queue_.push(new Work(std::move(work)));
  queued_.release();
  if (free_.fetch_sub(1) <= 0) thread_wanted_.release();
  return true;
}

void HandlerThreads::start_threads() {
  give_way(niceness_);
  while (true) {
    thread_wanted_.acquire();
    while (free_ < 0 && start_thread()) {
    }
    if (ending_) return;
  }
}

// False if there are as many as there may be, or the system refuses one more.
bool HandlerThreads::start_thread() {
  if (static_cast<int64_t>(threads_.size()) >= max_threads_) return false;
  try {
    threads_.emplace_back([this] { run(); });
    ++free_;
    return true;
  } catch (const std::system_error& error) {
    spdlog::warn("Cannot start handler thread {}: {}.", threads_.size() + 1, error.what());
    return false;
  }
}

void HandlerThreads::run() {
  while (true) {
    queued_.acquire();
    Work* next = nullptr;
    if (!queue_.pop(next)) return;  // the destructor woke us
    (*std::unique_ptr<Work>(next))();
    --accepted_;
    ++free_;
  }
}

}  // namespace dietmt::service
