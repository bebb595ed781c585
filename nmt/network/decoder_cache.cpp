#include "nmt/network/decoder_cache.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dietmt::nmt {
namespace {

// Slots of the first reservation, at least.
constexpr int64_t kFirstSlots = 1024;

bool grow(at::Tensor& slots, int64_t wanted) {
  if (!slots.defined() || slots.size(0) >= wanted) return false;
  std::vector<int64_t> sizes = slots.sizes().vec();
  sizes.front() = std::max({wanted, 2 * slots.size(0), kFirstSlots});
  const at::Tensor larger = at::zeros(sizes, slots.options());
  larger.narrow(0, 0, slots.size(0)).copy_(slots);
  slots = larger;
  return true;
}

int64_t row_bytes(const at::Tensor& slots) {
  if (!slots.defined()) return 0;
  return c10::multiply_integers(slots.sizes().slice(1)) * slots.element_size();
}

}  // namespace

int64_t PagePool::take() {
  if (free_.empty()) {
    const int64_t page = slots_;
    slots_ += kPageSlots;
    return page;
  }
  const int64_t page = free_.back();
  free_.pop_back();
  return page;
}

void PagePool::release(std::span<const int64_t> pages) {
  free_.insert(free_.end(), pages.begin(), pages.end());
}

bool DecoderCache::reserve(int64_t slots, int64_t source_slots) {
  bool moved = false;
  for (auto& layer : layers) {
    moved |= grow(layer.self_keys, slots);
    moved |= grow(layer.self_values, slots);
    moved |= grow(layer.cross_keys, source_slots);
    moved |= grow(layer.cross_values, source_slots);
  }
  return moved;
}

int64_t DecoderCache::slot_bytes() const {
  const auto& layer = layers.front();
  return std::ssize(layers) * (row_bytes(layer.self_keys) + row_bytes(layer.self_values));
}

int64_t DecoderCache::source_slot_bytes() const {
  const auto& layer = layers.front();
  return std::ssize(layers) * (row_bytes(layer.cross_keys) + row_bytes(layer.cross_values));
}

}  // namespace dietmt::nmt
