#include "service/http/handler_threads.h"

#include <spdlog/spdlog.h>

#include <system_error>
#include <utility>

namespace dietmt::service {

HandlerThreads::~HandlerThreads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool HandlerThreads::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    const auto waiting = static_cast<int64_t>(queue_.size());
    const int64_t free = static_cast<int64_t>(threads_.size()) - busy_;
    if (waiting >= free && !add_thread() && waiting - free >= max_backlog_) return false;
    queue_.push_back(std::move(work));
  }
  ready_.notify_one();
  return true;
}

bool HandlerThreads::add_thread() {
  if (static_cast<int64_t>(threads_.size()) >= max_threads_) return false;
  try {
    threads_.emplace_back([this] { run(); });
    return true;
  } catch (const std::system_error& error) {
    spdlog::warn("Cannot start handler thread {}: {}.", threads_.size() + 1, error.what());
    return false;
  }
}

void HandlerThreads::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    ready_.wait(lock, [&] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    ++busy_;
    lock.unlock();
    work();
    lock.lock();
    --busy_;
  }
}

}  // namespace dietmt::service
