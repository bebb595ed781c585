#include <atomic>
#include <cstring>
#include <utility>

#include "tests/kernels/cuda/host_block.h"

namespace dietmt::kernels {

using host::AsyncCopy;
using host::current_block;
using host::require;
using host::Slot;
using host::Thread;

namespace {

constexpr char kShuffle[] = "shuffle";
constexpr char kLoad[] = "load";
constexpr char kMultiply[] = "multiply";
constexpr char kSync[] = "sync";

std::atomic<uint64_t> lanes_multiplied = 0;

uint16_t matrix_element(const Slot* lanes, int matrix, int row, int column) {
  uint16_t value = 0;
  const auto* start = static_cast<const char*>(lanes[matrix * 8 + row].address);
  std::memcpy(&value, start + 2 * column, sizeof value);
  return value;
}

template <typename RowColumn>
void gather_matrices(uint32_t (&r)[4], const void* row, const RowColumn& element) {
  require(reinterpret_cast<uintptr_t>(row) % 16 == 0, "ldmatrix of a misaligned row");
  const unsigned set = current_block->exchange({kLoad, 0.0f, row}, nullptr);
  const Slot* lanes = current_block->warp().slots[set];
  for (int matrix = 0; matrix < 4; ++matrix) {
    r[matrix] = uint32_t{element(lanes, matrix, 0)} | (uint32_t{element(lanes, matrix, 1)} << 16);
  }
}

void finish(const AsyncCopy& copy) {
  if (copy.valid) {
    std::memcpy(copy.to, copy.from, copy.bytes);
  } else {
    std::memset(copy.to, 0, copy.bytes);
  }
}

void start_copy(const AsyncCopy& copy) {
  require(reinterpret_cast<uintptr_t>(copy.to) % copy.bytes == 0,
          "cp.async to a misaligned address");
  require(!copy.valid || reinterpret_cast<uintptr_t>(copy.from) % copy.bytes == 0,
          "cp.async from a misaligned address");
  if (current_block->copies_early()) {
    finish(copy);
  } else {
    current_block->thread().open_group.push_back(copy);
  }
}

}  // namespace

int thread_index() { return current_block->current(); }

void sync_block() { current_block->block_barrier(); }

void sync_warp() { current_block->exchange({kSync, 0.0f, nullptr}, nullptr); }

float shuffle_xor(float value, int mask) {
  const unsigned set = current_block->exchange({kShuffle, value, nullptr}, nullptr);
  return current_block->warp().slots[set][current_block->lane() ^ mask].value;
}

void load_matrices(uint32_t (&r)[4], const void* row) {
  gather_matrices(r, row, [](const Slot* lanes, int matrix, int half) {
    const int lane = current_block->lane();
    return matrix_element(lanes, matrix, lane / 4, 2 * (lane % 4) + half);
  });
}

void load_matrices_transposed(uint32_t (&r)[4], const void* row) {
  gather_matrices(r, row, [](const Slot* lanes, int matrix, int half) {
    const int lane = current_block->lane();
    return matrix_element(lanes, matrix, 2 * (lane % 4) + half, lane / 4);
  });
}

uint64_t detail::products() { return lanes_multiplied / kWarpThreads; }

const detail::MultiplyOperands* detail::exchange_operands(const MultiplyOperands& own) {
  lanes_multiplied.fetch_add(1, std::memory_order_relaxed);
  const unsigned set = current_block->exchange({kMultiply, 0.0f, nullptr}, &own);
  return current_block->warp().operands[set];
}

Words load_words(const void* from) {
  require(reinterpret_cast<uintptr_t>(from) % 16 == 0, "16 bytes from a misaligned address");
  Words words;
  std::memcpy(&words, from, sizeof words);
  return words;
}

Words load_written(const void* from) { return load_words(from); }

void store_words(void* to, const Words& words) {
  require(reinterpret_cast<uintptr_t>(to) % 16 == 0, "16 bytes to a misaligned address");
  std::memcpy(to, &words, sizeof words);
}

uint32_t take_ticket(uint32_t* ticket, uint32_t last) {
  const std::atomic_ref<uint32_t> shared(*ticket);
  uint32_t taken = shared.load();
  while (!shared.compare_exchange_weak(taken, taken >= last ? 0 : taken + 1)) {
  }
  return taken;
}

void copy_async(void* to, const void* from, bool valid) { start_copy({to, from, 16, valid}); }

void copy_async_cached(void* to, const void* from) { copy_async(to, from, true); }

void copy_word_async(void* to, const void* from, bool valid) { start_copy({to, from, 4, valid}); }

void commit_copies() {
  Thread& thread = current_block->thread();
  thread.groups.push_back(std::exchange(thread.open_group, {}));
}

void wait_for_copies(size_t unfinished) {
  auto& groups = current_block->thread().groups;
  for (; groups.size() > unfinished; groups.pop_front()) {
    for (const AsyncCopy& copy : groups.front()) finish(copy);
  }
}

}  // namespace dietmt::kernels
