#include "nmt/engine/open_sentence.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "common/error.h"

namespace dietmt::nmt {
void ChosenOutputs::choose(const LinearWeights& all, std::span<const int32_t> tokens) {
  const kernels::PackedWeights& weights = all.weights;
  const auto count = static_cast<int64_t>(tokens.size());
  const size_t bytes = kernels::packed_bytes(weights.type, count, weights.inputs);
  uint8_t* panels = panels_.reserve(static_cast<int64_t>(bytes));
  float* scales = scales_.reserve(count);
  int32_t* sums = sums_.reserve(count);
  kernels::gather_outputs(weights, tokens, panels, scales, sums);
  layer_ = {{weights.type, count, weights.inputs, panels, scales, sums, weights.input_multiplier}};
  if (all.bias == nullptr) return;
  float* bias = bias_.reserve(count);
  for (int64_t c = 0; c < count; ++c) bias[c] = all.bias[tokens[static_cast<size_t>(c)]];
  layer_.bias = bias;
}

int32_t SlotPool::take() {
  if (free_.empty()) {
    const size_t old = references_.size();
    references_.resize(std::max(size_t{kFewest}, 2 * old));
    free_.reserve(references_.size());
    for (size_t slot = references_.size(); slot > old; --slot)
      free_.push_back(static_cast<int32_t>(slot - 1));
  }
  const int32_t slot = free_.back();
  free_.pop_back();
  references_[static_cast<size_t>(slot)] = 1;
  return slot;
}

void SlotPool::release(std::span<const int32_t> slots) {
  for (const int32_t slot : slots)
    if (--references_[static_cast<size_t>(slot)] == 0) free_.push_back(slot);
}

void AttentionRecord::begin(int64_t source_tokens) {
  source_tokens_ = static_cast<size_t>(source_tokens);
  rows_.clear();
  steps_.clear();
}

float* AttentionRecord::add(int64_t rows) {
  const size_t before = rows_.size();
  steps_.push_back(before / source_tokens_);
  rows_.resize(before + static_cast<size_t>(rows) * source_tokens_);
  return rows_.data() + before;
}

void AttentionRecord::read(NBest& found, int64_t models) const {
  const float share = 1.0F / static_cast<float>(models);
  for (Hypothesis& hypothesis : found) {
    hypothesis.attention.clear();
    hypothesis.attention.reserve(hypothesis.rows.size() * source_tokens_);
    for (size_t step = 0; step < hypothesis.rows.size(); ++step) {
      const size_t row = steps_[step] + static_cast<size_t>(hypothesis.rows[step]);
      const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(row * source_tokens_);
      for (size_t j = 0; j < source_tokens_; ++j)
        hypothesis.attention.push_back(share * first[static_cast<std::ptrdiff_t>(j)]);
    }
  }
}

void OpenSentence::begin(const FedSentence& sentence, std::span<const EngineModel> models,
                         const SpecialTokens& special, TokenDraw& draw) {
  const TranslationRequest& request = *sentence.request;
  const SearchOptions& options = *sentence.options;
  int64_t max_target = std::numeric_limits<int64_t>::max();
  for (const EngineModel& model : models) {
    require_fitting(request, {model.weights->source_vocabulary, model.weights->target_vocabulary,
                              model.max_source_length(), model.max_target_length()});
    max_target = std::min(max_target, model.max_target_length());
    const int64_t length = std::ssize(request.source);
    if (options.needs_attention() && model.cross->of(length).compressed_keys > 0)
      throw DataError(
          "this model compresses the keys of cross-attention, so its attention aligns no words");
  }
  fed = sentence;
  source_tokens = static_cast<int64_t>(request.source.size());
  load = sentence.load();
  task = search_task(request, options, max_target);
  search = make_search(task, special, options, draw);
  memories.resize(models.size());
  position = rows = 0;
  failure = nullptr;
  if (options.needs_attention()) record.begin(source_tokens);
  slots_stride = task.max_length;
  slots.resize(static_cast<size_t>(options.rows() * slots_stride));
  next_slots.resize(slots.size());
}

void OpenSentence::choose_outputs(const OutputShortlist& shortlist,
                                  std::span<const EngineModel> models,
                                  const SpecialTokens& special) {
  const TranslationRequest& request = *fed.request;
  const int64_t vocabulary = models.front().weights->target_vocabulary;
  shortlist(request.source, tokens);
  if (std::ranges::all_of(tokens, [&](int32_t token) { return token == special.end; })) {
    tokens.resize(static_cast<size_t>(vocabulary));
    std::iota(tokens.begin(), tokens.end(), 0);
  }
  const std::vector<int32_t> demanded = request.demanded_tokens();
  tokens.insert(tokens.end(), demanded.begin(), demanded.end());
  tokens.push_back(special.end);
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  require_in_vocabulary(tokens, vocabulary, "target");
  outputs.resize(models.size());
  for (size_t m = 0; m < models.size(); ++m) outputs[m].choose(models[m].weights->output, tokens);
}

void OpenSentence::follow_parents(SlotPool& pool) {
  const int64_t next_rows = search->rows();
  bool same = next_rows == rows;
  for (int64_t r = 0; r < next_rows && same; ++r) same = search->parent(r) == r;
  if (same) return;
  for (int64_t r = 0; r < next_rows; ++r) {
    const auto inherited = filled_slots(search->parent(r));
    pool.refer(inherited);
    std::copy(inherited.begin(), inherited.end(), next_slots.data() + r * slots_stride);
  }
  release_slots(pool);
  slots.swap(next_slots);
  rows = next_rows;
}

void OpenSentence::release_slots(SlotPool& pool) {
  for (int64_t r = 0; r < rows; ++r) pool.release(filled_slots(r));
}

}  // namespace dietmt::nmt
