#include "data/pretraining/pretraining_batches.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "common/error.h"
#include "common/random.h"
#include "data/corpus/corpus_shares.h"
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
  PlannedExamples(std::span<const TextCorpus> texts, const PretrainingOptions& options)
      : texts_(texts),
        options_(options),
        masker_(texts.front().tokenizer(), options.masking),
        plans_(texts.size()) {}

  void start_epoch(int64_t epoch) override {
    plan_examples_of(random_key(options_.seed, static_cast<uint64_t>(epoch)));
    if (is_weighted())
      draw_examples(epoch);
    else
      use_all_examples();
    Random random(random_key(epoch_key_, kOrderStream));
    random.shuffle(order_);
    cut();
  }

  void start_validation() {
    plan_examples_of(random_key(options_.seed, kValidation));
    use_all_examples();
    cut();
  }

  int64_t batches() const override { return std::ssize(starts_) - 1; }

  PretrainingBatch batch(int64_t index) const override {
    const auto b = static_cast<size_t>(index);
    PretrainingBatch batch;
    for (uint32_t i = starts_[b]; i < starts_[b + 1]; ++i) append(i, batch);
    return batch;
  }

 private:
  bool has_pairs() const { return options_.examples.mode == ExampleMode::kSentencePairs; }

  bool is_weighted() const { return !options_.weights.empty() && texts_.size() > 1; }

  // Plans the examples of all texts and numbers them through.
  void plan_examples_of(uint64_t epoch_key) {
    epoch_key_ = epoch_key;
    first_example_ = {0};
    for (size_t t = 0; t < texts_.size(); ++t) {
      ExamplePlan& plan = plans_[t];
      if (has_pairs() || plan.segments.empty()) {
        plan = {};  // so that two plans never exist at once
        plan = plan_examples(texts_[t], options_.examples, random_key(epoch_key, kPairStream));
      }
      first_example_.push_back(first_example_.back() + plan.examples());
    }
    if (first_example_.back() > std::numeric_limits<uint32_t>::max())
      throw DataError("the corpus has more than 2^32 examples; split it");
  }

  void use_all_examples() {
    order_.resize(static_cast<size_t>(first_example_.back()));
    std::iota(order_.begin(), order_.end(), 0U);
  }

  void draw_examples(int64_t epoch) {
    std::vector<int64_t> sizes;
    for (const ExamplePlan& plan : plans_) sizes.push_back(plan.examples());
    std::vector<int64_t> drawn = shared_out(first_example_.back(), options_.weights);
    for (int64_t& examples : drawn) examples *= epoch;
    order_ = drawn_items(sizes, options_.weights, drawn, options_.seed);
  }

  // A text and the number of its example.
  std::pair<size_t, int64_t> find(uint32_t example) const {
    const auto next = std::ranges::upper_bound(first_example_, int64_t{example});
    const auto text = static_cast<size_t>(next - first_example_.begin() - 1);
    return {text, example - first_example_[text]};
  }

  // Cuts order_ into batches.
  void cut() {
    starts_ = {0};
    int64_t tokens = 0;
    for (uint32_t i = 0; i < order_.size(); ++i) {
      const auto [text, example] = find(order_[i]);
      const int64_t length = plans_[text].length(example);
      if (tokens > 0 && tokens + length > options_.batch_tokens) {
        starts_.push_back(i);
        tokens = 0;
      }
      tokens += length;
    }
    starts_.push_back(static_cast<uint32_t>(order_.size()));
  }

  void append(uint32_t place, PretrainingBatch& batch) const {
    const auto [text, example] = find(order_[place]);
    const std::span<const TextSegment> segments = plans_[text].example(example);
    std::vector<int32_t> tokens;
    std::vector<int32_t> token_segments;
    append_example(texts_[text], segments, tokens, token_segments);
    // An example may be drawn several times in an epoch, each time with another mask.
    const uint32_t use = is_weighted() ? place : order_[place];
    const MaskedPieces masked =
        masker_.mask(tokens, random_key(random_key(epoch_key_, kMaskStream), use));
    for (const int64_t row : masked.rows) batch.masked_rows.push_back(batch.tokens.size() + row);
    batch.masked_ids.insert(batch.masked_ids.end(), masked.ids.begin(), masked.ids.end());
    batch.tokens.append(tokens);
    batch.segments.insert(batch.segments.end(), token_segments.begin(), token_segments.end());
    if (has_pairs()) batch.next_sentence.push_back(segments.back().random ? 1 : 0);
  }

  std::span<const TextCorpus> texts_;
  PretrainingOptions options_;
  Masker masker_;
  uint64_t epoch_key_ = 0;
  std::vector<ExamplePlan> plans_;      // of the texts
  std::vector<int64_t> first_example_;  // number of each text's first one; at the end, of them all
  std::vector<uint32_t> order_;         // of the examples
  std::vector<uint32_t> starts_;  // batch b owns order_[starts_[b]] .. order_[starts_[b + 1] - 1]
};

/// Throws ConfigError for wrong options.
std::shared_ptr<PlannedExamples> planned_examples(std::span<const TextCorpus> texts,
                                                  const PretrainingOptions& options) {
  throw_if_any(options.problems());
  throw_if_any(weight_problems(options.weights, std::ssize(texts)));
  return std::make_shared<PlannedExamples>(texts, options);
}

}  // namespace

std::vector<std::string> PretrainingOptions::problems() const {
  std::vector<std::string> problems = examples.problems();
  for (const std::string& problem : masking.problems()) problems.push_back(problem);
  if (batch_tokens < 1) problems.push_back("a batch needs at least 1 token");
  return problems;
}

std::shared_ptr<BatchSource<PretrainingBatch>> pretraining_source(
    std::span<const TextCorpus> texts, const PretrainingOptions& options) {
  return planned_examples(texts, options);
}

PretrainingIterator::PretrainingIterator(std::span<const TextCorpus> texts,
                                         const PretrainingOptions& options, BatchPosition start)
    : EpochBatches(pretraining_source(texts, options), start, options.share) {}

std::vector<PretrainingBatch> validation_batches(const TextCorpus& corpus,
                                                 const PretrainingOptions& options) {
  PretrainingOptions of_one = options;
  of_one.weights.clear();
  const auto examples = planned_examples(std::span(&corpus, 1), of_one);
  examples->start_validation();
  std::vector<PretrainingBatch> batches;
  for (int64_t i = 0; i < examples->batches(); ++i) batches.push_back(examples->batch(i));
  return batches;
}

}  // namespace dietmt::data
