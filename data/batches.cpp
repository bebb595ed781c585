#include "data/batches.h"

#include <string>
#include <utility>

#include "common/error.h"
#include "data/batch_plan.h"
#include "data/prefetch.h"

namespace dietmt::data {
namespace {

constexpr size_t kQueuedBatches = 4;

}  // namespace

void PackedTokens::append(std::span<const int32_t> sentence) {
  tokens.insert(tokens.end(), sentence.begin(), sentence.end());
  offsets.push_back(static_cast<int32_t>(tokens.size()));
}

namespace {

struct PositionedBatch {
  ParallelBatch batch;
  BatchPosition position;  // after this batch
  int64_t batches_in_epoch = 0;
};

// Assembles batch after batch from a position on. Runs in the background thread.
class BatchProducer {
 public:
  BatchProducer(const ParallelCorpus& corpus, const BatchOptions& options, BatchPosition start)
      : corpus_(corpus),
        options_(options),
        position_(start),
        plan_(plan_epoch(corpus, options, start.epoch)) {
    if (start.epoch < 0 || start.batch < 0 || start.batch > plan_.batches()) {
      throw Error("batch " + std::to_string(start.batch) + " of epoch " +
                  std::to_string(start.epoch) + " does not exist: an epoch has " +
                  std::to_string(plan_.batches()) + " batches");
    }
  }

  int64_t batches_in_epoch() const { return plan_.batches(); }

  PositionedBatch next() {
    if (position_.batch == plan_.batches()) {
      position_ = {position_.epoch + 1, 0};
      plan_ = {};  // two plans at a time would take twice the memory
      plan_ = plan_epoch(corpus_, options_, position_.epoch);
    }
    ParallelBatch batch = assemble(corpus_, plan_.batch(position_.batch));
    ++position_.batch;
    return {std::move(batch), position_, plan_.batches()};
  }

 private:
  const ParallelCorpus& corpus_;
  BatchOptions options_;
  BatchPosition position_;
  BatchPlan plan_;
};

}  // namespace

struct BatchIterator::Impl {
  BatchPosition position;  // after the last batch given
  BatchProducer producer;
  int64_t batches_in_epoch;  // of position.epoch
  Prefetcher<PositionedBatch> prefetcher;

  Impl(const ParallelCorpus& corpus, const BatchOptions& options, BatchPosition start)
      : position(start),
        producer(corpus, options, start),
        batches_in_epoch(producer.batches_in_epoch()),
        prefetcher(kQueuedBatches, [this] { return producer.next(); }) {}
};

BatchIterator::BatchIterator(const ParallelCorpus& corpus, const BatchOptions& options,
                             BatchPosition start) {
  if (options.batch_tokens < 1) throw ConfigError("a batch needs at least 1 token");
  impl_ = std::make_unique<Impl>(corpus, options, start);
}

BatchIterator::~BatchIterator() = default;

ParallelBatch BatchIterator::next() {
  PositionedBatch item = impl_->prefetcher.next();
  impl_->position = item.position;
  impl_->batches_in_epoch = item.batches_in_epoch;
  return std::move(item.batch);
}

BatchPosition BatchIterator::position() const { return impl_->position; }

int64_t BatchIterator::batches_in_epoch() const { return impl_->batches_in_epoch; }

std::vector<ParallelBatch> all_batches(const ParallelCorpus& corpus, int64_t batch_tokens) {
  const BatchPlan plan = plan_sorted(corpus, batch_tokens);
  std::vector<ParallelBatch> batches;
  for (int64_t i = 0; i < plan.batches(); ++i) batches.push_back(assemble(corpus, plan.batch(i)));
  return batches;
}

}  // namespace dietmt::data
