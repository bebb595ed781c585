#include "data/corpus/batch_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "common/error.h"
#include "common/random.h"
#include "data/corpus/corpus_shares.h"

namespace dietmt::data {
namespace {

constexpr size_t kWindowPairs = 1 << 17;

// A batch may hold this many times more source than target tokens. Bounds the memory of pairs with
// short targets and long sources.
constexpr int64_t kSourceShare = 2;

// Separates the keys of the corpora's own orders from those of the epochs.
constexpr uint64_t kCorpusStream = 1ULL << 63;

// Reserves room for all pairs of the corpus.
BatchPlan empty_plan(const ParallelCorpus& corpus) {
  if (corpus.size() > std::numeric_limits<uint32_t>::max())
    throw DataError("the corpus has more than 2^32 sentence pairs");
  BatchPlan plan;
  plan.pairs.resize(static_cast<size_t>(corpus.size()));
  return plan;
}

BatchPlan all_pairs(const ParallelCorpus& corpus) {
  BatchPlan plan = empty_plan(corpus);
  std::iota(plan.pairs.begin(), plan.pairs.end(), 0U);
  return plan;
}

// Continues the order of each corpus where the previous epoch stopped.
BatchPlan drawn_pairs(const ParallelCorpus& corpus, const BatchOptions& options, int64_t epoch) {
  BatchPlan plan = empty_plan(corpus);
  const std::vector<int64_t> shares = shared_out(corpus.size(), options.weights);
  std::span<uint32_t> left = plan.pairs;
  for (size_t c = 0; c < shares.size(); ++c) {
    const auto draws = left.first(static_cast<size_t>(shares[c]));
    const int64_t first_pair = corpus.first_pair(static_cast<int64_t>(c));
    const int64_t size = corpus.first_pair(static_cast<int64_t>(c) + 1) - first_pair;
    draw_pairs(size, random_key(options.seed, kCorpusStream + c), epoch * shares[c], draws);
    for (uint32_t& pair : draws) pair += static_cast<uint32_t>(first_pair);
    left = left.subspan(draws.size());
  }
  return plan;
}

void sort_by_length(const ParallelCorpus& corpus, std::span<uint32_t> pairs) {
  struct Key {
    int32_t target;
    int32_t source;
    uint32_t pair;
    bool operator<(const Key& other) const {
      return std::tie(target, source, pair) < std::tie(other.target, other.source, other.pair);
    }
  };
  std::vector<Key> keys;
  keys.reserve(pairs.size());
  for (const uint32_t pair : pairs) {
    keys.push_back({static_cast<int32_t>(corpus.target_length(pair)),
                    static_cast<int32_t>(corpus.source_length(pair)), pair});
  }
  std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < keys.size(); ++i) pairs[i] = keys[i].pair;
}

// Cuts plan.pairs[begin, end) into batches and appends their starts.
void cut(const ParallelCorpus& corpus, int64_t batch_tokens, size_t begin, size_t end,
         BatchPlan& plan) {
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  for (size_t i = begin; i < end; ++i) {
    const int64_t source = corpus.source_length(plan.pairs[i]);
    const int64_t target = corpus.target_length(plan.pairs[i]);
    const bool fits = target_tokens + target <= batch_tokens &&
                      source_tokens + source <= kSourceShare * batch_tokens;
    if (i == begin || !fits) {
      plan.starts.push_back(static_cast<uint32_t>(i));
      source_tokens = target_tokens = 0;
    }
    source_tokens += source;
    target_tokens += target;
  }
}

void finish(BatchPlan& plan) {
  plan.order.resize(plan.starts.size());
  std::iota(plan.order.begin(), plan.order.end(), 0U);
  plan.starts.push_back(static_cast<uint32_t>(plan.pairs.size()));
}

}  // namespace

std::span<const uint32_t> BatchPlan::batch(int64_t index) const {
  const uint32_t b = order[static_cast<size_t>(index)];
  return std::span(pairs).subspan(starts[b], starts[b + 1] - starts[b]);
}

BatchPlan plan_epoch(const ParallelCorpus& corpus, const BatchOptions& options, int64_t epoch) {
  Random random(random_key(options.seed, static_cast<uint64_t>(epoch)));
  const bool weighted = !options.weights.empty() && corpus.corpora() > 1;
  BatchPlan plan = weighted ? drawn_pairs(corpus, options, epoch) : all_pairs(corpus);
  random.shuffle(plan.pairs);
  for (size_t begin = 0; begin < plan.pairs.size(); begin += kWindowPairs) {
    const size_t end = std::min(begin + kWindowPairs, plan.pairs.size());
    sort_by_length(corpus, std::span(plan.pairs).subspan(begin, end - begin));
    cut(corpus, options.batch_tokens, begin, end, plan);
  }
  finish(plan);
  random.shuffle(plan.order);
  return plan;
}

BatchPlan plan_sorted(const ParallelCorpus& corpus, int64_t batch_tokens) {
  BatchPlan plan = all_pairs(corpus);
  sort_by_length(corpus, plan.pairs);
  cut(corpus, batch_tokens, 0, plan.pairs.size(), plan);
  finish(plan);
  return plan;
}

ParallelBatch assemble(const ParallelCorpus& corpus, std::span<const uint32_t> pairs) {
  ParallelBatch batch;
  batch.pairs.assign(pairs.begin(), pairs.end());
  size_t source_tokens = 0;
  size_t target_tokens = 0;
  for (const uint32_t pair : pairs) {
    source_tokens += static_cast<size_t>(corpus.source_length(pair));
    target_tokens += static_cast<size_t>(corpus.target_length(pair));
  }
  batch.source.tokens.reserve(source_tokens);
  batch.target.tokens.reserve(target_tokens);
  std::vector<int32_t> ids;
  for (const uint32_t pair : pairs) {
    corpus.read(pair, ids);
    const auto source_length = static_cast<size_t>(corpus.source_length(pair));
    batch.source.append(std::span(ids).first(source_length));
    batch.target.append(std::span(ids).subspan(source_length));
  }
  return batch;
}

}  // namespace dietmt::data
