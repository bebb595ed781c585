#include "training/loop/batch_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace dietmt::training {
namespace {

TEST(BatchMemory, RefusesBatchesThatCannotFit) {
  BatchMemory memory;
  memory.require("--batch-tokens 100", 90, 1e6, false);
  try {
    memory.require("--batch-tokens 10000000", 9'000'000, 1e15, false);
    FAIL() << "accepted";
  } catch (const MemoryError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(
                                  "--batch-tokens 10000000, with 9000000 tokens in a batch: needs "
                                  "about 4000000.0 GB of memory, but only "));
  }
}

}  // namespace
}  // namespace dietmt::training
