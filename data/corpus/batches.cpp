#include "data/corpus/batches.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/random.h"
#include "data/corpus/corpus_shares.h"

namespace dietmt::data {
namespace {

/// One epoch's batches as compact lists of pair indices: 4 bytes per pair, and 4 more while a
/// weighted corpus is being planned.
struct BatchPlan {
  std::vector<uint32_t> pairs;   // of all batches, concatenated
  std::vector<uint32_t> starts;  // batch b owns pairs starts[b] .. starts[b+1]-1
  std::vector<uint32_t> order;   // in which the batches are used

  int64_t batches() const { return static_cast<int64_t>(order.size()); }
  /// First pair of the batch at `index` in order of use.
  size_t first_pair(int64_t index) const { return starts[order[static_cast<size_t>(index)]]; }
  std::span<const uint32_t> batch(int64_t index) const;
};

/// Token limits of a batch with several pairs, by their lengths in the corpus.
struct Budget {
  int64_t source;
  int64_t target;
};

constexpr size_t kWindowPairs = 1 << 17;

// Limits a batch to this many source tokens per target token. Bounds the memory used by pairs with
// long sources and short targets.
constexpr int64_t kSourceShare = 2;

Budget budget_of(int64_t batch_tokens, const TokenGrowth& growth = {}) {
  const auto shrunk = [](int64_t tokens, double by) {
    return by == 1.0 ? tokens : static_cast<int64_t>(static_cast<double>(tokens) / by);
  };
  return {shrunk(kSourceShare * batch_tokens, growth.source), shrunk(batch_tokens, growth.target)};
}

// A plan has 32 bits for the number of a pair.
void require_numbers(const ParallelCorpus& corpus) {
  if (corpus.size() > std::numeric_limits<uint32_t>::max())
    throw DataError("the corpus has more than 2^32 sentence pairs");
}

BatchPlan all_pairs(const ParallelCorpus& corpus) {
  require_numbers(corpus);
  BatchPlan plan;
  plan.pairs.resize(static_cast<size_t>(corpus.size()));
  std::iota(plan.pairs.begin(), plan.pairs.end(), 0U);
  return plan;
}

/// Where an epoch begins.
struct EpochStart {
  size_t stage = 0;
  int64_t epochs = 0, batches = 0;  // of the stage, before this epoch
  std::vector<int64_t> drawn;       // pairs of each corpus, before this epoch
};

// Continues the order of each corpus where the previous epoch stopped.
BatchPlan drawn_pairs(const ParallelCorpus& corpus, uint64_t seed,
                      const std::vector<double>& weights, const std::vector<int64_t>& drawn) {
  require_numbers(corpus);
  std::vector<int64_t> sizes;
  for (int64_t c = 0; c < corpus.corpora(); ++c)
    sizes.push_back(corpus.first_pair(c + 1) - corpus.first_pair(c));
  BatchPlan plan;
  plan.pairs = drawn_items(sizes, weights, drawn, seed);
  return plan;
}

// A stable sort: pairs of equal length stay in shuffled order, so that each epoch has new batches.
void sort_by_length(const ParallelCorpus& corpus, std::span<uint32_t> pairs) {
  struct Key {
    int32_t target;
    int32_t source;
    uint32_t pair;
  };
  std::vector<Key> keys;
  keys.reserve(pairs.size());
  for (const uint32_t pair : pairs) {
    keys.push_back({static_cast<int32_t>(corpus.target_length(pair)),
                    static_cast<int32_t>(corpus.source_length(pair)), pair});
  }
  std::ranges::stable_sort(keys, {},
                           [](const Key& key) { return std::pair(key.target, key.source); });
  for (size_t i = 0; i < keys.size(); ++i) pairs[i] = keys[i].pair;
}

// Cuts plan.pairs[begin, end) into batches and appends where they start.
void cut(const ParallelCorpus& corpus, const Budget& budget, size_t begin, size_t end,
         BatchPlan& plan) {
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  for (size_t i = begin; i < end; ++i) {
    const int64_t source = corpus.source_length(plan.pairs[i]);
    const int64_t target = corpus.target_length(plan.pairs[i]);
    const bool fits =
        target_tokens + target <= budget.target && source_tokens + source <= budget.source;
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

std::span<const uint32_t> BatchPlan::batch(int64_t index) const {
  const uint32_t b = order[static_cast<size_t>(index)];
  return std::span(pairs).subspan(starts[b], starts[b + 1] - starts[b]);
}

/// The batches of an epoch: all pairs, or those drawn by weight (BatchOptions), are shuffled,
/// sorted by (target, source) length within windows of 2^17 pairs and cut into batches, which are
/// shuffled. Those after the end of the stage are left out.
BatchPlan plan_epoch(const ParallelCorpus& corpus, const BatchOptions& options,
                     const Budget& budget, int64_t epoch, const EpochStart& start) {
  Random random(random_key(options.seed, static_cast<uint64_t>(epoch)));
  const Stage& stage = options.stages[start.stage];
  const bool weighted = !stage.weights.empty() && corpus.corpora() > 1;
  BatchPlan plan =
      weighted ? drawn_pairs(corpus, options.seed, stage.weights, start.drawn) : all_pairs(corpus);
  random.shuffle(plan.pairs);
  for (size_t begin = 0; begin < plan.pairs.size(); begin += kWindowPairs) {
    const size_t end = std::min(begin + kWindowPairs, plan.pairs.size());
    sort_by_length(corpus, std::span(plan.pairs).subspan(begin, end - begin));
    cut(corpus, budget, begin, end, plan);
  }
  finish(plan);
  random.shuffle(plan.order);
  if (stage.updates > 0) {
    const int64_t left = stage.updates * options.share.per_update - start.batches;
    plan.order.resize(static_cast<size_t>(std::min(plan.batches(), left)));
  }
  return plan;
}

/// Batches of the corpus sorted by length, in that order.
BatchPlan plan_sorted(const ParallelCorpus& corpus, int64_t batch_tokens) {
  BatchPlan plan = all_pairs(corpus);
  sort_by_length(corpus, plan.pairs);
  cut(corpus, budget_of(batch_tokens), 0, plan.pairs.size(), plan);
  finish(plan);
  return plan;
}

ParallelBatch without_text(const ParallelCorpus& corpus, std::span<const uint32_t> pairs) {
  ParallelBatch batch;
  batch.pairs.assign(pairs.begin(), pairs.end());
  if (corpus.weighted())
    for (const uint32_t pair : pairs) batch.weights.push_back(corpus.weight(pair));
  return batch;
}

ParallelBatch assemble(const ParallelCorpus& corpus, std::span<const uint32_t> pairs) {
  ParallelBatch batch = without_text(corpus, pairs);
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

/// The pairs as drawn for this epoch. The first pair is use number `first_use`.
ParallelBatch assemble_drawn(const ParallelCorpus& corpus, const BatchOptions& options,
                             int64_t epoch, std::span<const uint32_t> pairs, size_t first_use) {
  ParallelBatch batch = without_text(corpus, pairs);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const DrawnPair drawn =
        drawn_pair(corpus, pairs[i], options.drawing, {options.seed, epoch, first_use + i});
    batch.source.append(drawn.source);
    batch.target.append(drawn.target);
  }
  return batch;
}

class PlannedPairs : public BatchSource<ParallelBatch> {
 public:
  PlannedPairs(const ParallelCorpus& corpus, const BatchOptions& options)
      : corpus_(corpus),
        options_(options),
        budget_(
            budget_of(options.batch_tokens, token_growth(corpus, options.drawing, options.seed))) {
    if (options_.stages.empty()) options_.stages = {Stage{.weights = options_.weights}};
    starts_.push_back({.drawn = std::vector<int64_t>(static_cast<size_t>(corpus.corpora()))});
  }

  void start_epoch(int64_t epoch) override {
    plan_ = {};  // so that two plans never exist at once
    while (std::ssize(starts_) <= epoch) {
      const int64_t last = std::ssize(starts_) - 1;
      const EpochStart& start = starts_.back();
      starts_.push_back(
          start_after(start, options_.stages[start.stage].updates > 0
                                 ? plan_epoch(corpus_, options_, budget_, last, start).batches()
                                 : 0));
    }
    const EpochStart start = starts_[static_cast<size_t>(epoch)];
    if (options_.stages.size() > 1 && start.epochs == 0)
      spdlog::info("stage {} of {} begins with epoch {}", start.stage + 1, options_.stages.size(),
                   epoch + 1);
    plan_ = plan_epoch(corpus_, options_, budget_, epoch, start);
    epoch_ = epoch;
    if (std::ssize(starts_) == epoch + 1) starts_.push_back(start_after(start, batches()));
  }
  int64_t batches() const override { return plan_.batches(); }
  ParallelBatch batch(int64_t index) const override {
    if (!options_.drawing.any()) return assemble(corpus_, plan_.batch(index));
    return assemble_drawn(corpus_, options_, epoch_, plan_.batch(index), plan_.first_pair(index));
  }

 private:
  /// The start of the epoch after one that has so many batches, which count where a stage ends
  /// after updates.
  EpochStart start_after(const EpochStart& start, int64_t batches) const {
    EpochStart next = start;
    const Stage& stage = options_.stages[next.stage];
    if (!stage.weights.empty()) {
      const std::vector<int64_t> shares = shared_out(corpus_.size(), stage.weights);
      for (size_t c = 0; c < shares.size(); ++c) next.drawn[c] += shares[c];
    }
    if (stage.updates > 0) next.batches += batches;
    ++next.epochs;
    const bool ends = stage.updates > 0 ? next.batches == stage.updates * options_.share.per_update
                                        : stage.epochs > 0 && next.epochs == stage.epochs;
    if (ends) return {.stage = next.stage + 1, .drawn = std::move(next.drawn)};
    return next;
  }

  const ParallelCorpus& corpus_;
  BatchOptions options_;
  Budget budget_;
  std::vector<EpochStart> starts_;  // of the epochs up to the one after the latest planned
  BatchPlan plan_;
  int64_t epoch_ = 0;
};

void require_pairs(const ParallelCorpus& corpus, const std::vector<double>& weights) {
  throw_if_any(weight_problems(weights, corpus.corpora()));
  for (size_t c = 0; c < weights.size(); ++c) {
    if (weights[c] > 0.0 && corpus.report(static_cast<int64_t>(c)).kept == 0) {
      throw ConfigError("corpus " + std::to_string(c + 1) +
                        " has a weight, but none of its pairs were kept");
    }
  }
}

}  // namespace

void PackedTokens::append(std::span<const int32_t> sentence) {
  if (tokens.size() + sentence.size() > std::numeric_limits<int32_t>::max())
    throw DataError("the text has more than 2,147,483,647 tokens");
  tokens.insert(tokens.end(), sentence.begin(), sentence.end());
  offsets.push_back(static_cast<int32_t>(tokens.size()));
}

std::shared_ptr<BatchSource<ParallelBatch>> batch_source(const ParallelCorpus& corpus,
                                                         const BatchOptions& options) {
  if (options.batch_tokens < 1) throw ConfigError("a batch needs at least 1 token");
  require_pairs(corpus, options.weights);
  for (const Stage& stage : options.stages) require_pairs(corpus, stage.weights);
  return std::make_shared<PlannedPairs>(corpus, options);
}

BatchIterator::BatchIterator(const ParallelCorpus& corpus, const BatchOptions& options,
                             BatchPosition start)
    : EpochBatches(batch_source(corpus, options), start, options.share) {}

std::vector<ParallelBatch> all_batches(const ParallelCorpus& corpus, int64_t batch_tokens) {
  const BatchPlan plan = plan_sorted(corpus, batch_tokens);
  std::vector<ParallelBatch> batches;
  for (int64_t i = 0; i < plan.batches(); ++i) batches.push_back(assemble(corpus, plan.batch(i)));
  return batches;
}

}  // namespace dietmt::data
