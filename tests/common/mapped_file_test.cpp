#include "common/mapped_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <functional>

#include "common/error.h"
#include "tests/common/scratch.h"

namespace dietmt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class MappedFileTest : public ScratchTest {};

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(MappedFileTest, HoldsTheBytesOfTheFile) {
  const std::string content("a\0b\n", 4);
  const MappedFile file(write("file", content));
  EXPECT_EQ(file.bytes(), content);
  char two[2];
  file.read(2, two, sizeof two);
  EXPECT_EQ(std::string(two, 2), "b\n");
  EXPECT_EQ(MappedFile(write("empty", "")).bytes(), "");
}

TEST_F(MappedFileTest, ErrorsNameTheFileAndTheReason) {
  const fs::path pipe = scratch() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { MappedFile file(scratch() / "absent"); }),
              AllOf(HasSubstr("/absent: cannot be opened"), HasSubstr("No such file")));
  EXPECT_THAT(error_of([&] { MappedFile file(pipe); }),
              HasSubstr("/pipe: cannot be read: it is not a regular file"));
  EXPECT_THAT(error_of([&] { MappedFile file(scratch()); }), HasSubstr("not a regular file"));
  const MappedFile file(write("short", "123"));
  char bytes[8];
  EXPECT_THAT(error_of([&] { file.read(1, bytes, sizeof bytes); }), HasSubstr("it was cut short"));
}

}  // namespace
}  // namespace dietmt
