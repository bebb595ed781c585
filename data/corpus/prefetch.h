// A background thread that stays a few items ahead of its consumer.
//
//   Prefetcher<ParallelBatch> batches(4, [&] { return producer.next(); });
//   ParallelBatch batch = batches.next();
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace dietmt::data {

template <typename Item>
class Prefetcher {
 public:
  /// Calls `produce` in a background thread while fewer than `capacity` items are ready.
  Prefetcher(size_t capacity, std::function<Item()> produce)
      : capacity_(capacity), worker_([this, produce = std::move(produce)](std::stop_token stop) {
          run(stop, produce);
        }) {}

  /// The next item, in the order of production. Rethrows an exception of `produce` after the items
  /// before it; an exception ends the thread.
  Item next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || failure_; });
    if (items_.empty()) std::rethrow_exception(failure_);
    Item item = std::move(items_.front());
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

 private:
  void run(std::stop_token stop, const std::function<Item()>& produce) {
    try {
      while (!stop.stop_requested()) {
        Item item = produce();
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [&] { return items_.size() < capacity_; })) return;
        items_.push_back(std::move(item));
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  size_t capacity_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Item> items_;
  std::exception_ptr failure_;
  std::jthread worker_;  // last, so that it is joined before the members it uses are destroyed
};

}  // namespace dietmt::data
