#include "nmt/network/decoder_cache.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dietmt::nmt {
namespace {

void grow(at::Tensor& slots, int64_t wanted) {
  if (!slots.defined() || slots.size(0) >= wanted) return;
  std::vector<int64_t> sizes = slots.sizes().vec();
  sizes.front() = std::max(wanted, 2 * slots.size(0));
  const at::Tensor larger = at::zeros(sizes, slots.options());
  larger.narrow(0, 0, slots.size(0)).copy_(slots);
  slots = larger;
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

void DecoderCache::reserve(int64_t slots, int64_t source_slots) {
  for (auto& layer : layers) {
    grow(layer.self_keys, slots);
    grow(layer.self_values, slots);
    grow(layer.cross_keys, source_slots);
    grow(layer.cross_values, source_slots);
  }
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
