// Batches of one epoch after another, prefetched by a background thread and resumable at each
// batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "common/error.h"
#include "data/corpus/batch_share.h"
#include "data/corpus/batches.h"
#include "data/corpus/prefetch.h"

namespace dietmt::data {

/// `Source` plans one epoch at a time, which depends only on the number of the epoch:
///
///   void start_epoch(int64_t epoch);
///   int64_t batches() const;             // in that epoch, at least one
///   Batch batch(int64_t index) const;    // index < batches()
///
/// It must not move or change during the iteration.
template <typename Source>
class EpochBatches {
 public:
  using Batch = decltype(std::declval<const Source&>().batch(0));

  /// Makes only the batches of `share`; `start` begins an update. Throws Error if there is no
  /// batch at `start`.
  EpochBatches(Source& source, BatchPosition start, BatchShare share = {})
      : position_(start),
        batches_in_epoch_(begin(source, start)),
        prefetcher_(static_cast<size_t>(share.ahead(kQueuedBatches)),
                    [&source, share, next = start, count = int64_t{0}]() mutable {
                      if (next.batch == source.batches()) {
                        next = {next.epoch + 1, 0};
                        source.start_epoch(next.epoch);
                      }
                      Item item;
                      if (share.owns(count++)) item.batch = source.batch(next.batch);
                      ++next.batch;
                      item.position = next;
                      item.batches_in_epoch = source.batches();
                      return item;
                    }) {}

  /// See BatchIterator for these.
  Batch next() {
    std::optional<Batch> batch = take();
    if (!batch) throw Error("the next batch belongs to another process");
    return std::move(*batch);
  }
  void skip() { take(); }
  BatchPosition position() const { return position_; }
  int64_t batches_in_epoch() const { return batches_in_epoch_; }

 private:
  static constexpr int64_t kQueuedBatches = 4;

  struct Item {
    std::optional<Batch> batch;  // none: of another process
    BatchPosition position;      // after this batch
    int64_t batches_in_epoch = 0;
  };

  std::optional<Batch> take() {
    Item item = prefetcher_.next();
    position_ = item.position;
    batches_in_epoch_ = item.batches_in_epoch;
    return std::move(item.batch);
  }

  static int64_t begin(Source& source, BatchPosition start) {
    source.start_epoch(start.epoch);
    if (start.epoch < 0 || start.batch < 0 || start.batch > source.batches()) {
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
