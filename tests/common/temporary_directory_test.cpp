#include "common/temporary_directory.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/common/scratch.h"

namespace dietmt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class TemporaryDirectoryTest : public ScratchTest {};

TEST_F(TemporaryDirectoryTest, IsNewAndIsRemovedWithItsFiles) {
  {
    const TemporaryDirectory first(scratch() / "work-"), second(scratch() / "work-");
    EXPECT_THAT(first.path(), StartsWith((scratch() / "work-").string()));
    EXPECT_NE(first.path(), second.path());
    std::filesystem::create_directories(first.path() + "/deep/deeper");
  }
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(TemporaryDirectoryTest, ItsPathIsInTheError) {
  try {
    const TemporaryDirectory directory(scratch() / "absent/work-");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("absent/work-XXXXXX: cannot be created: No such file"));
  }
}

}  // namespace
}  // namespace dietmt
