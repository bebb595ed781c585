// The interface of endless batches: epoch after epoch, prefetched by a background thread, resumable
// at each batch, and shared by several processes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "common/error.h"

namespace dietmt::data {

/// The batches of one process when several train together: batch m of an update belongs to process
/// m mod `processes`. An update has `per_update` batches whatever the number of processes, so that
/// the order of the data does not depend on it.
struct BatchShare {
  int64_t rank = 0;
  int64_t processes = 1;   // at most per_update
  int64_t per_update = 1;  // batches

  /// `batch` counts from the start of an update.
  bool owns(int64_t batch) const { return batch % per_update % processes == rank; }
  /// How many batches to prefetch so that at least `own` of them belong to this process.
  int64_t ahead(int64_t own) const {
    const int64_t least = per_update / processes;  // own batches per update
    return own * ((per_update + least - 1) / least);
  }
};

/// A background thread that stays a few items ahead of its consumer.
template <typename Item>
class Prefetcher {
 public:
  /// Calls `produce` in a background thread while fewer than `capacity` items are ready.
  Prefetcher(size_t capacity, std::function<Item()> produce)
      : capacity_(capacity), worker_([this, produce = std::move(produce)](std::stop_token stop) {
          run(stop, produce);
        }) {}

  /// The next item, in order of production. Rethrows an exception of `produce`, which ends the
  /// thread, after the items before it.
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
  std::jthread worker_;  // last: joined before the members that it uses are destroyed
};

/// A position from which the iteration can continue exactly.
struct BatchPosition {
  int64_t epoch = 0;
  int64_t batch = 0;  // batches of this epoch already returned
  bool operator==(const BatchPosition&) const = default;
};

/// Plans one epoch at a time; a plan depends only on the epoch's number.
template <typename Batch>
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual void start_epoch(int64_t epoch) = 0;
  /// Batches in the planned epoch; at least one.
  virtual int64_t batches() const = 0;
  /// index < batches()
  virtual Batch batch(int64_t index) const = 0;
};

/// The batches of another source, each transformed by a function.
template <typename Batch, typename Changed>
class ChangedBatches : public BatchSource<Changed> {
 public:
  using Change = std::function<Changed(const Batch&)>;
  ChangedBatches(std::shared_ptr<BatchSource<Batch>> source, Change change)
      : source_(std::move(source)), change_(std::move(change)) {}

  void start_epoch(int64_t epoch) override { source_->start_epoch(epoch); }
  int64_t batches() const override { return source_->batches(); }
  Changed batch(int64_t index) const override { return change_(source_->batch(index)); }

 private:
  std::shared_ptr<BatchSource<Batch>> source_;
  Change change_;
};

/// Endless batches, epoch after epoch, prefetched by a background thread.
template <typename Batch>
class EpochBatches {
 public:
  /// Makes only the batches of `share`; `start` is the start of an update. The background thread
  /// calls `source`. Throws Error if there is no batch at `start`.
  EpochBatches(std::shared_ptr<BatchSource<Batch>> source, BatchPosition start,
               BatchShare share = {})
      : position_(start),
        batches_in_epoch_(begin(*source, start)),
        prefetcher_(static_cast<size_t>(share.ahead(kQueuedBatches)),
                    [source, share, next = start, count = int64_t{0}]() mutable {
                      if (next.batch == source->batches()) {
                        next = {next.epoch + 1, 0};
                        source->start_epoch(next.epoch);
                      }
                      Item item;
                      if (share.owns(count++)) item.batch = source->batch(next.batch);
                      ++next.batch;
                      item.position = next;
                      item.batches_in_epoch = source->batches();
                      return item;
                    }) {}

  /// The next batch; starts the next epoch when one ends. Rethrows exceptions of the background
  /// thread.
  Batch next() {
    std::optional<Batch> batch = take();
    if (!batch) throw Error("the next batch belongs to another process");
    return std::move(*batch);
  }

  /// Skips a batch of another process without reading its tokens; next() throws Error for such a
  /// batch.
  void skip() { take(); }

  /// The position after the last batch returned or skipped. After the last batch of epoch e it is
  /// (e, batches_in_epoch()); after the batch that follows, (e + 1, 1).
  BatchPosition position() const { return position_; }

  /// Batches in the epoch of position().
  int64_t batches_in_epoch() const { return batches_in_epoch_; }

 private:
  static constexpr int64_t kQueuedBatches = 4;

  struct Item {
    std::optional<Batch> batch;  // none if it belongs to another process
    BatchPosition position;      // after this batch
    int64_t batches_in_epoch = 0;
  };

  std::optional<Batch> take() {
    Item item = prefetcher_.next();
    position_ = item.position;
    batches_in_epoch_ = item.batches_in_epoch;
    return std::move(item.batch);
  }

  static int64_t begin(BatchSource<Batch>& source, BatchPosition start) {
    if (start.epoch < 0) throw Error("there is no epoch " + std::to_string(start.epoch));
    source.start_epoch(start.epoch);
    if (start.batch < 0 || start.batch > source.batches()) {
      throw Error("batch " + std::to_string(start.batch) + " of epoch " +
                  std::to_string(start.epoch) + " does not exist: an epoch has " +
                  std::to_string(source.batches()) + " batches");
    }
    return source.batches();
  }

  BatchPosition position_;    // after the last batch returned
  int64_t batches_in_epoch_;  // of position_.epoch
  Prefetcher<Item> prefetcher_;
};

}  // namespace dietmt::data
