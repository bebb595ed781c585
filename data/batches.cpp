#include "data/batches.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "common/error.h"
#include "data/batch_plan.h"

namespace dietmt::data {
namespace {

constexpr size_t kQueuedBatches = 4;
// Every pair read maps up to 64 KiB around it: 64 MiB between two releases.
constexpr int64_t kPairsBetweenReleases = 1024;

}  // namespace

void PackedTokens::append(std::span<const int32_t> sentence) {
  tokens.insert(tokens.end(), sentence.begin(), sentence.end());
  offsets.push_back(static_cast<int32_t>(tokens.size()));
}

struct BatchIterator::Impl {
  struct Item {
    ParallelBatch batch;
    BatchPosition position;  // after this batch
    int64_t batches_in_epoch;
  };

  const ParallelCorpus& corpus;
  BatchOptions options;
  BatchPosition position;        // after the last batch given
  int64_t batches_in_epoch = 0;  // of position.epoch

  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<Item> queue;
  std::exception_ptr failure;
  std::jthread worker;  // last: it stops before what it uses goes

  Impl(const ParallelCorpus& all, const BatchOptions& given, BatchPosition start)
      : corpus(all), options(given), position(start) {
    BatchPlan plan = plan_epoch(corpus, options, position.epoch);
    batches_in_epoch = plan.batches();
    if (position.epoch < 0 || position.batch < 0 || position.batch > batches_in_epoch) {
      throw Error("batch " + std::to_string(position.batch) + " of epoch " +
                  std::to_string(position.epoch) + " does not exist: the epoch has " +
                  std::to_string(batches_in_epoch) + " batches");
    }
    worker = std::jthread([this, first = std::move(plan)](std::stop_token stop) mutable {
      try {
        produce(stop, std::move(first));
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        changed.notify_all();
      }
    });
  }

  // Runs in the worker: assembles batch after batch until asked to stop.
  void produce(std::stop_token stop, BatchPlan plan) {
    BatchPosition at = position;
    int64_t pairs_since_release = 0;
    while (!stop.stop_requested()) {
      if (at.batch == plan.batches()) {
        at = {at.epoch + 1, 0};
        plan = {};  // two plans at a time would take twice the memory
        plan = plan_epoch(corpus, options, at.epoch);
      }
      Item item{assemble(corpus, plan.batch(at.batch)), {at.epoch, at.batch + 1}, plan.batches()};
      at = item.position;
      pairs_since_release += item.batch.source.sentences();
      if (pairs_since_release >= kPairsBetweenReleases) {
        corpus.release_pages();
        pairs_since_release = 0;
      }
      std::unique_lock lock(mutex);
      if (!changed.wait(lock, stop, [&] { return queue.size() < kQueuedBatches; })) return;
      queue.push_back(std::move(item));
      changed.notify_all();
    }
  }

  ParallelBatch next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !queue.empty() || failure; });
    if (queue.empty()) std::rethrow_exception(failure);
    Item item = std::move(queue.front());
    queue.pop_front();
    position = item.position;
    batches_in_epoch = item.batches_in_epoch;
    changed.notify_all();
    return std::move(item.batch);
  }
};

BatchIterator::BatchIterator(const ParallelCorpus& corpus, const BatchOptions& options,
                             BatchPosition start) {
  if (options.batch_tokens < 1) throw ConfigError("a batch needs at least 1 token");
  if (corpus.size() == 0) throw DataError("the corpus is empty");
  impl_ = std::make_unique<Impl>(corpus, options, start);
}

BatchIterator::~BatchIterator() = default;

ParallelBatch BatchIterator::next() { return impl_->next(); }

BatchPosition BatchIterator::position() const { return impl_->position; }

int64_t BatchIterator::batches_in_epoch() const { return impl_->batches_in_epoch; }

std::vector<ParallelBatch> all_batches(const ParallelCorpus& corpus, int64_t batch_tokens) {
  const BatchPlan plan = plan_sorted(corpus, batch_tokens);
  std::vector<ParallelBatch> batches;
  for (int64_t i = 0; i < plan.batches(); ++i) batches.push_back(assemble(corpus, plan.batch(i)));
  return batches;
}

}  // namespace dietmt::data
