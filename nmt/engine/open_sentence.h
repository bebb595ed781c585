// A sentence while a worker decodes it: its search, its encoded source, and the cache slots of its
// hypotheses.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "nmt/engine/aligned_buffer.h"
#include "nmt/engine/engine_model.h"
#include "nmt/engine/model_runner.h"
#include "nmt/engine/sentence_search.h"
#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

/// Sets `tokens` to the target tokens that translations of `source` may have, ascending, each once;
/// a decoder adds end of sentence and the tokens of a given prefix. If there are none but end of
/// sentence, translations may have all tokens. Several threads call it.
using OutputShortlist =
    std::function<void(std::span<const int32_t> source, std::vector<int32_t>& tokens)>;

/// The output layer of some tokens, packed for one sentence from the layer of all tokens.
class ChosenOutputs {
 public:
  /// Output c of layer() becomes output tokens[c] of `all`, with the same bits. Its memory is used
  /// again by the next call.
  void choose(const LinearWeights& all, std::span<const int32_t> tokens);

  const LinearWeights& layer() const { return layer_; }

 private:
  LinearWeights layer_;
  AlignedBuffer<uint8_t> panels_;
  AlignedBuffer<float> scales_;
  AlignedBuffer<int32_t> sums_;
  AlignedBuffer<float> bias_;
};

/// Reference counts of the slots in the cache. Each token of a hypothesis has a slot; hypotheses
/// that begin with the same tokens share slots, and a slot without references is free.
class SlotPool {
 public:
  static constexpr int64_t kFewest = 1024;  // so many slots are made at first

  /// A slot with one reference, out of 0 .. size() - 1.
  int32_t take();
  int64_t size() const { return static_cast<int64_t>(references_.size()); }

  void refer(std::span<const int32_t> slots) {
    for (const int32_t slot : slots) ++references_[static_cast<size_t>(slot)];
  }
  void release(std::span<const int32_t> slots);

 private:
  std::vector<int32_t> references_;  // of each slot
  std::vector<int32_t> free_;
};

/// The attention of all rows of a sentence's steps, from which its hypotheses take theirs.
class AttentionRecord {
 public:
  void begin(int64_t source_tokens);

  /// Zeros for the rows of the next step, [rows, source tokens], valid until the next call.
  float* add(int64_t rows);

  /// Fills the attention of hypotheses from their rows: the mean of so many models.
  void read(NBest& found, int64_t models) const;

 private:
  size_t source_tokens_ = 0;
  std::vector<float> rows_;    // of all steps, [source tokens] each
  std::vector<size_t> steps_;  // the first row of each
};

struct OpenSentence {
  FedSentence fed;  // not to be read once the feed has the result
  int64_t source_tokens = 0;
  int64_t load = 0;  // of fed
  SearchTask task;
  std::unique_ptr<SentenceSearch> search;
  std::vector<SentenceMemory> memories;  // of the models
  std::vector<int32_t> tokens;           // allowed ones, ascending; none: all
  std::vector<ChosenOutputs> outputs;    // of the models, for these tokens
  int64_t position = 0;                  // of the next token
  int64_t first_row = 0;                 // in the step
  int64_t rows = 0;
  std::exception_ptr failure;
  AttentionRecord record;
  float* attention = nullptr;              // of the step's rows; null: not wanted
  std::vector<int32_t> slots, next_slots;  // [rows, stride]: of each token of a hypothesis
  int64_t slots_stride = 0;

  /// Starts a sentence in the memory of an earlier one. Throws DataError if the models cannot take
  /// its tokens, its length or its prefix.
  void begin(const FedSentence& sentence, std::span<const EngineModel> models,
             const SpecialTokens& special, TokenDraw& draw);

  /// Restricts the translations to the tokens of the shortlist.
  void choose_outputs(const OutputShortlist& shortlist, std::span<const EngineModel> models,
                      const SpecialTokens& special);

  int32_t* row_slots(int64_t row) { return slots.data() + row * slots_stride; }
  std::span<const int32_t> filled_slots(int64_t row) {
    return {row_slots(row), static_cast<size_t>(position)};
  }

  /// Gives each hypothesis of the next step the slots of the one that it continues.
  void follow_parents(SlotPool& pool);
  void release_slots(SlotPool& pool);
};

}  // namespace dietmt::nmt
