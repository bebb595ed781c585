// The places of the cache of decoding. A hypothesis names the slot of each of its tokens; the
// hypotheses of a beam share those of the tokens they share, and a slot that nobody names is free.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dietmt::nmt {

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

}  // namespace dietmt::nmt
