#include "nmt/engine/aligned_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace dietmt::nmt {
namespace {

// Covers small blocks, a first mapping, and mappings that grow.
TEST(MemoryBlock, KeepsItsBytesOnCacheLinesWhenItGrows) {
  MemoryBlock block;
  size_t written = 0;
  for (const size_t size : {100, 5000, (1 << 21) - 64, (1 << 21) + 1, 5 << 20, 40 << 20}) {
    block.resize(size);
    auto* bytes = static_cast<uint8_t*>(block.data());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % 64, 0U) << size;
    for (size_t i = 0; i < written; ++i) ASSERT_EQ(bytes[i], i % 251) << i << " of " << size;
    for (; written < size; ++written) bytes[written] = static_cast<uint8_t>(written % 251);
  }
}

TEST(MemoryBlock, MovesWithoutCopying) {
  MemoryBlock first;
  first.resize(1000);
  const void* data = first.data();
  MemoryBlock second(std::move(first));
  EXPECT_EQ(second.data(), data);
  MemoryBlock third;
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
}

}  // namespace
}  // namespace dietmt::nmt
