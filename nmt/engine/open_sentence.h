// A sentence while a worker decodes it: its search, its encoded source, and the cache slots of its
// hypotheses.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "nmt/engine/engine_model.h"
#include "nmt/engine/model_runner.h"
#include "nmt/engine/output_shortlist.h"
#include "nmt/engine/sentence_search.h"
#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

/// Reference counts of the slots in the cache. Each token of a hypothesis has a slot; hypotheses
/// that begin with the same tokens share slots, and a slot without references is free.
class SlotPool {
 public:
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
