#include "nmt/tensor_decoding/tensor_decoder.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "encoders/device/device.h"
#include "nmt/search/coverage.h"
#include "nmt/search/token_limits.h"
#include "nmt/tensor_decoding/beam_worker.h"
#include "nmt/tensor_decoding/host_searches.h"
#include "nmt/tensor_decoding/sampling.h"
#include "nmt/tensor_decoding/step_scorer.h"
#include "nmt/tensor_decoding/token_attention.h"

namespace dietmt::nmt {
namespace {

// A device decodes this many times a CPU worker's source tokens at once.
constexpr int64_t kDeviceShare = 128;
// A search in which the host takes part has fewer rows: it reads candidates of all at each step.
constexpr int64_t kMostHostRows = 4096;

// Lets others take their turns before each step.
class TurnTaker : public StepScorer {
 public:
  TurnTaker(std::unique_ptr<StepScorer> scorer, const std::function<void()>& between_steps)
      : scorer_(std::move(scorer)), between_steps_(between_steps) {}

  at::Tensor step(const at::Tensor& tokens) override {
    between_steps_();
    return scorer_->step(tokens);
  }
  void reorder(const at::Tensor& sentences, const at::Tensor& rows) override {
    scorer_->reorder(sentences, rows);
  }

 private:
  std::unique_ptr<StepScorer> scorer_;
  const std::function<void()>& between_steps_;
};

}  // namespace

TensorDecoder::TensorDecoder(std::vector<const TranslationModel*> models,
                             const SpecialTokens& special, std::optional<at::ScalarType> type)
    : models_(std::move(models)), special_(special) {
  for (const TranslationModel* model : models_) {
    decoding_.push_back({model, {type, nullptr}});
    if (!type) continue;
    copies_.push_back(std::make_unique<encoders::WeightCopies>(*model, *type));
    copies_.back()->refresh();
    decoding_.back().precision.copies = copies_.back().get();
  }
}

TensorDecoder::~TensorDecoder() = default;

int64_t TensorDecoder::max_source_length() const {
  int64_t length = kNoLimit;
  for (const TranslationModel* model : models_)
    length = std::min(length, model->max_source_length());
  return length;
}

int64_t TensorDecoder::max_target_length() const {
  int64_t length = kNoLimit;
  for (const TranslationModel* model : models_)
    length = std::min(length, model->max_target_length());
  return length;
}

RequestLimits TensorDecoder::limits() const {
  const ModelConfig& config = models_.front()->config();
  return {config.source_vocabulary, config.target_vocabulary, max_source_length(),
          max_target_length()};
}

bool TensorDecoder::aligns() const {
  return std::ranges::all_of(models_, &TranslationModel::aligns);
}

// The host takes part in these searches, so they run on log-probabilities that it reads.
bool TensorDecoder::searches_on_device(const FedSentence& sentence) const {
  const SearchOptions& options = *sentence.options;
  return models_.size() == 1 && !options.sample && options.diverse_groups == 1 &&
         !options.needs_attention() && !TokenLimits(options, special_).any() &&
         !sentence.request->is_constrained();
}

int64_t TensorDecoder::capacity(int64_t, int64_t batch_tokens) const {
  return (models_.front()->output_weight().is_cpu() ? 1 : kDeviceShare) * batch_tokens;
}

void TensorDecoder::run(SentenceFeed& feed, int64_t workers, int64_t, int64_t batch_tokens) const {
  const c10::InferenceMode inference;
  encoders::make_current(models_.front()->output_weight().device());
  std::unique_ptr<BeamWorker> worker = idle_worker();
  worker->run(feed, capacity(workers, batch_tokens),
              {[this](const FedSentence& sentence) { return !searches_on_device(sentence); },
               [&](std::span<const FedSentence> others, const BetweenSteps& between_steps) {
                 run_on_host(others, feed, between_steps);
               }});
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
}

// Workers keep their caches for the next run.
std::unique_ptr<BeamWorker> TensorDecoder::idle_worker() const {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<BeamWorker>(decoding_.front(), special_, limits());
  std::unique_ptr<BeamWorker> worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

// The sentences of one search have the same options, and their rows fit into memory.
void TensorDecoder::run_on_host(std::span<const FedSentence> others, SentenceFeed& feed,
                                const BetweenSteps& between_steps) const {
  std::vector<FedSentence> left(others.begin(), others.end());
  for (auto first = left.begin(); first != left.end();) {
    const auto end = std::stable_partition(
        first, left.end(), [&](const FedSentence& one) { return one.options == first->options; });
    const int64_t rows = rows_that_fit(decoding_.front(), kMostHostRows);
    const auto most = static_cast<size_t>(std::max<int64_t>(1, rows / first->options->rows()));
    for (std::span<const FedSentence> rest(first, end); !rest.empty();) {
      const size_t count = std::min(most, rest.size());
      decode(rest.first(count), feed, between_steps);
      rest = rest.subspan(count);
    }
    first = end;
  }
}

void TensorDecoder::decode(std::span<const FedSentence> batch, SentenceFeed& feed,
                           const BetweenSteps& between_steps) const {
  std::vector<NBest> found;
  try {
    found = search(batch, between_steps);
  } catch (...) {
    if (batch.size() == 1) return feed.fail(batch.front().ticket, std::current_exception());
  }
  for (size_t b = 0; b < batch.size(); ++b) {
    if (found.empty())  // all failed together
      decode(batch.subspan(b, 1), feed, between_steps);
    else
      feed.deliver(batch[b].ticket, std::move(found[b]));
  }
}

std::vector<NBest> TensorDecoder::search(std::span<const FedSentence> batch,
                                         const BetweenSteps& between_steps) const {
  const SearchOptions& options = *batch.front().options;
  std::vector<SearchTask> tasks;
  std::vector<const std::vector<int32_t>*> sources;
  for (const FedSentence& sentence : batch) {
    tasks.push_back(search_task(*sentence.request, options, max_target_length()));
    sources.push_back(&sentence.request->source);
  }
  TurnTaker scorer(make_scorer(decoding_, sources, options.rows()), between_steps);
  const bool draws_on_device = options.sample && std::ranges::none_of(batch, [](const auto& one) {
                                 return one.request->is_constrained();
                               });
  std::vector<NBest> found = draws_on_device ? sample_translations(scorer, tasks, special_, options)
                                             : search_on_host(scorer, tasks, special_, options);
  if (options.needs_attention()) align(batch, found);
  for (size_t b = 0; b < batch.size() && options.coverage_penalty > 0.0; ++b)
    rank_by_coverage(found[b], *batch[b].request, options);
  return found;
}

// A second pass over the translations found: the search does not keep its attention.
void TensorDecoder::align(std::span<const FedSentence> batch, std::vector<NBest>& found) const {
  std::vector<AlignmentRequest> requests;
  std::vector<Hypothesis*> hypotheses;
  for (size_t b = 0; b < batch.size(); ++b) {
    for (Hypothesis& hypothesis : found[b]) {
      hypothesis.rows.clear();
      requests.push_back({batch[b].request->source, hypothesis.ids});
      hypotheses.push_back(&hypothesis);
    }
  }
  std::vector<std::vector<float>> attention = token_attention(models_, requests, special_);
  for (size_t i = 0; i < hypotheses.size(); ++i) hypotheses[i]->attention = std::move(attention[i]);
}

}  // namespace dietmt::nmt
