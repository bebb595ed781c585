#include "common/atomic_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/scratch.h"

namespace dietmt {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class AtomicFileTest : public ScratchTest {};

TEST_F(AtomicFileTest, AppearsAtCommit) {
  const fs::path path = write("file", "old");
  AtomicFile file(path);
  file.write("header ");
  file.write_value('x');
  file.write(std::string(3'000'000, 'y'));
  EXPECT_EQ(read_file(path), "old");
  file.overwrite(0, "HEADER");
  file.write("z");
  file.commit();
  EXPECT_EQ(read_file(path), "HEADER x" + std::string(3'000'000, 'y') + "z");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

// So that a signal, even SIGKILL, leaves nothing.
TEST_F(AtomicFileTest, HasNoNameBeforeCommit) {
  {
    AtomicFile file(scratch() / "file");
    file.write("text");
    file.flush();
    EXPECT_THAT(names(), IsEmpty());
    file.commit();
  }
  EXPECT_EQ(read_file(scratch() / "file"), "text");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  const fs::path path = write("file", "old");
  AtomicFile(path).write("new");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_F(AtomicFileTest, AFullDiskIsAnErrorThatNamesTheFile) {
  const fs::path path = write("file", "old");
  for (const size_t size : {5'000, 5'000'000}) {
    const FileSizeLimit limit(1000);
    try {
      AtomicFile file(path);
      file.write(std::string(size, 'x'));
      file.commit();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("/file: cannot be written: File too large"));
    }
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_F(AtomicFileTest, AppendsUnnamedFiles) {
  UnnamedFile first(scratch() / "file"), second(scratch() / "file");
  first.write("first ");
  second.write(std::string(2'500'000, 's'));
  EXPECT_THAT(names(), IsEmpty());
  AtomicFile file(scratch() / "file");
  file.write("0 ");
  file.append(first);
  file.append(second);
  file.commit();
  EXPECT_EQ(read_file(scratch() / "file"), "0 first " + std::string(2'500'000, 's'));
}

TEST_F(AtomicFileTest, AKeptPartIsContinuedByOneWriterAtATime) {
  const fs::path path = scratch() / "file";
  {
    AtomicFile file(path, Unfinished::kKept);
    file.write("one\ntwo\n");
    file.flush();
    EXPECT_THROW(AtomicFile(path, Unfinished::kKept), Error);
  }
  EXPECT_THAT(names(), UnorderedElementsAre("file.part"));
  AtomicFile file(path, Unfinished::kKept);
  char bytes[16];
  EXPECT_EQ(std::string(bytes, file.read(0, bytes, sizeof bytes)), "one\ntwo\n");
  file.truncate(4);
  file.write("three\n");
  file.commit();
  EXPECT_EQ(read_file(path), "one\nthree\n");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_F(AtomicFileTest, ANameThatLeavesNoRoomForTheTemporaryOneIsAnErrorAtOnce) {
  EXPECT_THROW(AtomicFile{scratch() / std::string(250, 'x')}, Error);
}

TEST_F(AtomicFileTest, OnlyRegularFilesAreReplaced) {
  const fs::path pipe = scratch() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(AtomicFile{pipe}, Error);
  EXPECT_THROW(AtomicFile{scratch()}, Error);
  EXPECT_THROW(AtomicFile{scratch() / "absent" / "file"}, Error);
}

}  // namespace
}  // namespace dietmt
