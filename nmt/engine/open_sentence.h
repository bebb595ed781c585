// A sentence while a worker decodes it: its search, what the models know of its source, and where
// the keys and values of its hypotheses lie.
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

/// The places in the cache of decoding. A hypothesis names the slot of each of its tokens; the
/// hypotheses of a beam share the slots of the tokens that they share, and a slot that nobody names
/// is free.
class SlotPool {
 public:
  /// A slot named once. There are slots 0 .. size() - 1.
  int32_t take();
  int64_t size() const { return static_cast<int64_t>(names_.size()); }

  void name(std::span<const int32_t> slots) {
    for (const int32_t slot : slots) ++names_[static_cast<size_t>(slot)];
  }
  void forget(std::span<const int32_t> slots);

 private:
  std::vector<int32_t> names_;  // of each slot
  std::vector<int32_t> free_;
};

struct OpenSentence {
  FedSentence fed;  // gone as soon as the feed has its result
  int64_t source_tokens = 0;
  SearchTask task;
  std::unique_ptr<SentenceSearch> search;
  std::vector<SentenceMemory> memories;  // of the models
  std::vector<int32_t> tokens;           // that it may have, ascending; none: all
  std::vector<ChosenOutputs> outputs;    // of the models, for these tokens
  int64_t position = 0;                  // of the next token
  int64_t first_row = 0;                 // in the step
  int64_t rows = 0;
  std::exception_ptr failure;
  std::vector<int32_t> slots, next_slots;  // [rows, stride]: one for each token of a hypothesis
  int64_t slots_stride = 0;

  /// Starts anew, with the memory of an earlier sentence. Throws DataError for tokens, a length or
  /// a prefix that the models do not take.
  void begin(const FedSentence& sentence, std::span<const EngineModel> models,
             const SpecialTokens& special, TokenDraw& draw);

  /// Its translations shall have no other tokens than those of the shortlist.
  void choose_outputs(const OutputShortlist& shortlist, std::span<const EngineModel> models,
                      const SpecialTokens& special);

  int32_t* row_slots(int64_t row) { return slots.data() + row * slots_stride; }
  std::span<const int32_t> filled_slots(int64_t row) {
    return {row_slots(row), static_cast<size_t>(position)};
  }

  /// The hypotheses of the next step take over the slots of those that they continue.
  void follow_parents(SlotPool& pool);
  void forget_slots(SlotPool& pool);
};

}  // namespace dietmt::nmt
