// Batches epoch after epoch, made ahead by a background thread and resumable at each of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "common/error.h"
#include "data/batches.h"
#include "data/prefetch.h"

namespace dietmt::data {

/// `Source` plans one epoch at a time and is a function of the epoch's number alone:
///
///   void start_epoch(int64_t epoch);
///   int64_t batches() const;             // in that epoch, at least one
///   Batch batch(int64_t index) const;    // index < batches()
///
/// It must not move or change while the iteration lives.
template <typename Source>
class EpochBatches {
 public:
  using Batch = decltype(std::declval<const Source&>().batch(0));

  /// Throws Error if there is no batch at `start`.
  EpochBatches(Source& source, BatchPosition start)
      : position_(start),
        batches_in_epoch_(begin(source, start)),
        prefetcher_(kQueuedBatches, [&source, next = start]() mutable {
          if (next.batch == source.batches()) {
            next = {next.epoch + 1, 0};
            source.start_epoch(next.epoch);
          }
          Batch batch = source.batch(next.batch);
          ++next.batch;
          return Item{std::move(batch), next, source.batches()};
        }) {}

  /// See BatchIterator for these.
  Batch next() {
    Item item = prefetcher_.next();
    position_ = item.position;
    batches_in_epoch_ = item.batches_in_epoch;
    return std::move(item.batch);
  }
  BatchPosition position() const { return position_; }
  int64_t batches_in_epoch() const { return batches_in_epoch_; }

 private:
  static constexpr size_t kQueuedBatches = 4;

  struct Item {
    Batch batch;
    BatchPosition position;  // after this batch
    int64_t batches_in_epoch;
  };

  static int64_t begin(Source& source, BatchPosition start) {
    source.start_epoch(start.epoch);
    if (start.epoch < 0 || start.batch < 0 || start.batch > source.batches()) {
      throw Error("batch " + std::to_string(start.batch) + " of epoch " +
                  std::to_string(start.epoch) + " does not exist: an epoch has " +
                  std::to_string(source.batches()) + " batches");
    }
    return source.batches();
  }

  BatchPosition position_;    // after the last batch given
  int64_t batches_in_epoch_;  // of position_.epoch
  Prefetcher<Item> prefetcher_;
};

}  // namespace dietmt::data
