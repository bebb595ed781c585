#include "data/pretraining/pretraining_batches.h"

#include <limits>
#include <numeric>
#include <utility>

#include "common/error.h"
#include "common/random.h"
#include "data/corpus/epoch_batches.h"

namespace dietmt::data {
namespace {

// The random streams of an epoch.
enum Stream : uint64_t { kOrderStream, kPairStream, kMaskStream };

// The epoch in the key of validation. Training epochs count from 0.
constexpr auto kValidation = std::numeric_limits<uint64_t>::max();

// The batches of one epoch at a time.
class PlannedExamples : public BatchSource<PretrainingBatch> {
 public:
  PlannedExamples(const TextCorpus& corpus, const PretrainingOptions& options)
      : corpus_(corpus), options_(options), masker_(corpus.tokenizer(), options.masking) {}

  void start_epoch(int64_t epoch) override {
    draw_examples(random_key(options_.seed, static_cast<uint64_t>(epoch)));
    Random random(random_key(epoch_key_, kOrderStream));
    random.shuffle(order_);
    cut();
  }

  void start_validation() {
    draw_examples(random_key(options_.seed, kValidation));
    cut();
  }

  int64_t batches() const override { return std::ssize(starts_) - 1; }

  PretrainingBatch batch(int64_t index) const override {
    const auto b = static_cast<size_t>(index);
    PretrainingBatch batch;
    for (uint32_t i = starts_[b]; i < starts_[b + 1]; ++i) append(order_[i], batch);
    return batch;
  }

 private:
  bool has_pairs() const { return options_.examples.mode == ExampleMode::kSentencePairs; }

  void draw_examples(uint64_t epoch_key) {
    epoch_key_ = epoch_key;
    if (has_pairs() || plan_.segments.empty()) {
      plan_ = {};  // so that two plans never exist at once
      plan_ = plan_examples(corpus_, options_.examples, random_key(epoch_key, kPairStream));
    }
    if (plan_.examples() > std::numeric_limits<uint32_t>::max())
      throw DataError("the corpus has more than 2^32 examples; split it");
    order_.resize(static_cast<size_t>(plan_.examples()));
    std::iota(order_.begin(), order_.end(), 0U);
  }

  // Cuts order_ into batches.
  void cut() {
    starts_ = {0};
    int64_t tokens = 0;
    for (uint32_t i = 0; i < order_.size(); ++i) {
      const int64_t length = plan_.length(order_[i]);
      if (tokens > 0 && tokens + length > options_.batch_tokens) {
        starts_.push_back(i);
        tokens = 0;
      }
      tokens += length;
    }
    starts_.push_back(static_cast<uint32_t>(order_.size()));
  }

  void append(uint32_t example, PretrainingBatch& batch) const {
    const std::span<const TextSegment> segments = plan_.example(example);
    std::vector<int32_t> tokens;
    std::vector<int32_t> token_segments;
    append_example(corpus_, segments, tokens, token_segments);
    const MaskedPieces masked =
        masker_.mask(tokens, random_key(random_key(epoch_key_, kMaskStream), example));
    for (const int64_t row : masked.rows) batch.masked_rows.push_back(batch.tokens.size() + row);
    batch.masked_ids.insert(batch.masked_ids.end(), masked.ids.begin(), masked.ids.end());
    batch.tokens.append(tokens);
    batch.segments.insert(batch.segments.end(), token_segments.begin(), token_segments.end());
    if (has_pairs()) batch.next_sentence.push_back(segments.back().random ? 1 : 0);
  }

  const TextCorpus& corpus_;
  PretrainingOptions options_;
  Masker masker_;
  uint64_t epoch_key_ = 0;
  ExamplePlan plan_;
  std::vector<uint32_t> order_;   // of the examples
  std::vector<uint32_t> starts_;  // batch b owns order_[starts_[b]] .. order_[starts_[b + 1] - 1]
};

/// Throws ConfigError for wrong options.
std::shared_ptr<PlannedExamples> planned_examples(const TextCorpus& corpus,
                                                  const PretrainingOptions& options) {
  throw_if_any(options.problems());
  return std::make_shared<PlannedExamples>(corpus, options);
}

}  // namespace

std::vector<std::string> PretrainingOptions::problems() const {
  std::vector<std::string> problems = examples.problems();
  for (const std::string& problem : masking.problems()) problems.push_back(problem);
  if (batch_tokens < 1) problems.push_back("a batch needs at least 1 token");
  return problems;
}

std::shared_ptr<BatchSource<PretrainingBatch>> pretraining_source(
    const TextCorpus& corpus, const PretrainingOptions& options) {
  return planned_examples(corpus, options);
}

PretrainingIterator::PretrainingIterator(const TextCorpus& corpus,
                                         const PretrainingOptions& options, BatchPosition start)
    : EpochBatches(pretraining_source(corpus, options), start, options.share) {}

std::vector<PretrainingBatch> validation_batches(const TextCorpus& corpus,
                                                 const PretrainingOptions& options) {
  const auto examples = planned_examples(corpus, options);
  examples->start_validation();
  std::vector<PretrainingBatch> batches;
  for (int64_t i = 0; i < examples->batches(); ++i) batches.push_back(examples->batch(i));
  return batches;
}

}  // namespace dietmt::data
