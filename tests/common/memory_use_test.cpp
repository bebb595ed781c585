#include "common/memory_use.h"

#include <gmock/gmock.h>

namespace dietmt {
namespace {

TEST(MemoryUse, AModestNeedIsNoProblem) { EXPECT_EQ(memory_problem("--width 8", 1e6), ""); }

TEST(MemoryUse, NamesWhatDoesNotFit) {
  EXPECT_THAT(memory_problem("--width 65536", 1e15),
              testing::StartsWith("--width 65536: needs about 1000000.0 GB of memory, but only "));
}

}  // namespace
}  // namespace dietmt
