// Decoding steps allocate nothing: this program counts calls of operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/nmt/engine/engine_run.h"

namespace {

std::atomic<int64_t> allocations = 0;

void* counted(size_t size, size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace dietmt::nmt {
namespace {

// Allocations while decoding exactly `length` tokens.
int64_t allocations_of(const SentenceDecoder& engine, int64_t length, int64_t threads) {
  const auto requests = random_requests(6, 12, 1);
  SearchOptions options = short_search(4, 1);
  options.max_length_factor = 0.0;
  options.max_length_offset = length;
  options.min_length = length;
  options.threads = threads;
  const int64_t before = allocations;
  decode(engine, requests, options);
  return allocations - before;
}

// A hundred more steps only grow a few buffers, with one allocation per doubling.
TEST(EngineAllocations, DoNotGrowWithTheSteps) {
  for (const char* position : {"sinusoidal", "shaw(clip=3)", "rope", "cope"}) {
    ModelConfig config = engine_config();
    config.decoder_position = position;
    const auto engine = engine_of({lively_model(config, 1)});
    for (const int64_t threads : {1, 2}) {
      allocations_of(*engine, 120, threads);  // lowers the tables
      EXPECT_GT(allocations_of(*engine, 20, threads), 0);
      EXPECT_LE(allocations_of(*engine, 120, threads) - allocations_of(*engine, 20, threads), 60)
          << position;
    }
  }
}

}  // namespace
}  // namespace dietmt::nmt
