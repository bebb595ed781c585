#include "storage/output_lock.h"

#include <gmock/gmock.h>

#include <optional>

#include "common/error.h"
#include "tests/common/test_directory.h"

namespace dietmt::storage {
namespace {

using ::testing::HasSubstr;

TEST(OutputLockTest, OneRunOwnsTheDirectory) {
  const TestDirectory directory;
  std::optional<OutputLock> first(directory.path());
  EXPECT_THAT(message_of<CheckpointError>([&] { OutputLock(directory.path()); }),
              HasSubstr("another training run"));
  first.reset();
  EXPECT_NO_THROW(OutputLock(directory.path()));
}

}  // namespace
}  // namespace dietmt::storage
