#include "data/corpus/batches.h"

#include "common/error.h"
#include "data/corpus/batch_plan.h"
#include "data/corpus/corpus_shares.h"
#include "data/corpus/epoch_batches.h"

namespace dietmt::data {
namespace {

struct PlannedPairs {
  const ParallelCorpus& corpus;
  BatchOptions options;
  BatchPlan plan = {};

  void start_epoch(int64_t epoch) {
    plan = {};  // so that two plans never exist at once
    plan = plan_epoch(corpus, options, epoch);
  }
  int64_t batches() const { return plan.batches(); }
  ParallelBatch batch(int64_t index) const { return assemble(corpus, plan.batch(index)); }
};

}  // namespace

void PackedTokens::append(std::span<const int32_t> sentence) {
  tokens.insert(tokens.end(), sentence.begin(), sentence.end());
  offsets.push_back(static_cast<int32_t>(tokens.size()));
}

struct BatchIterator::Impl {
  PlannedPairs pairs;
  EpochBatches<PlannedPairs> batches;

  Impl(const ParallelCorpus& corpus, const BatchOptions& options, BatchPosition start)
      : pairs{corpus, options}, batches(pairs, start, options.share) {}
};

BatchIterator::BatchIterator(const ParallelCorpus& corpus, const BatchOptions& options,
                             BatchPosition start) {
  if (options.batch_tokens < 1) throw ConfigError("a batch needs at least 1 token");
  if (start.epoch < 0) throw Error("there is no epoch " + std::to_string(start.epoch));
  throw_if_any(weight_problems(options.weights, corpus.corpora()));
  for (size_t c = 0; c < options.weights.size(); ++c) {
    if (options.weights[c] > 0.0 && corpus.report(static_cast<int64_t>(c)).kept == 0) {
      throw ConfigError("corpus " + std::to_string(c + 1) +
                        " has a weight, but none of its pairs were kept");
    }
  }
  impl_ = std::make_unique<Impl>(corpus, options, start);
}

BatchIterator::~BatchIterator() = default;

ParallelBatch BatchIterator::next() { return impl_->batches.next(); }

void BatchIterator::skip() { impl_->batches.skip(); }

BatchPosition BatchIterator::position() const { return impl_->batches.position(); }

int64_t BatchIterator::batches_in_epoch() const { return impl_->batches.batches_in_epoch(); }

std::vector<ParallelBatch> all_batches(const ParallelCorpus& corpus, int64_t batch_tokens) {
  const BatchPlan plan = plan_sorted(corpus, batch_tokens);
  std::vector<ParallelBatch> batches;
  for (int64_t i = 0; i < plan.batches(); ++i) batches.push_back(assemble(corpus, plan.batch(i)));
  return batches;
}

}  // namespace dietmt::data
