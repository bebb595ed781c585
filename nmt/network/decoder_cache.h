// What cached decoding keeps between steps: the keys and values of tokens, each in a slot that it
// is written to once (encoders/transformer/step_rows.h). Slots are handed out in pages of
// consecutive ones; PagePool keeps account of them on the host, so that nothing waits for the
// device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "encoders/transformer/layers.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::nmt {

class PagePool {
 public:
  static constexpr int64_t kPageSlots = 16;
  static constexpr int64_t pages_for(int64_t slots) {
    return (slots + kPageSlots - 1) / kPageSlots;
  }

  /// The first slot of a free page.
  int64_t take();
  /// Frees pages by their first slots.
  void release(std::span<const int64_t> pages);

  /// All slots handed out so far are smaller.
  int64_t slots() const { return slots_; }

 private:
  std::vector<int64_t> free_;
  int64_t slots_ = 0;
};

struct DecoderCache {
  std::vector<encoders::DecoderLayer::StepCache> layers;
  encoders::DecoderStack::StepTables tables;  // length 0: none yet

  /// Makes room for slots 0 .. slots - 1 of hypotheses and of sources, filled with zeros; the
  /// contents stay. Room at least doubles, so that copies are rare. Returns whether keys and values
  /// have moved.
  bool reserve(int64_t slots, int64_t source_slots);

  /// The bytes of one slot in all layers.
  int64_t slot_bytes() const;
  int64_t source_slot_bytes() const;
};

}  // namespace dietmt::nmt
