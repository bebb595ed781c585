#include "common/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <future>

#include "common/atomic_file.h"
#include "common/error.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt {
namespace {

using ::testing::AllOf;

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class FilesTest : public ScratchTest {};

TEST_F(FilesTest, ALinkStaysALink) {
  const std::string file = write("file", "old");
  fs::create_symlink("file", scratch() / "link");
  write_file_atomically(scratch() / "link", "new");
  EXPECT_TRUE(fs::is_symlink(scratch() / "link"));
  EXPECT_EQ(read_file(file), "new");
  EXPECT_THAT(names(), UnorderedElementsAre("file", "link"));
}

TEST_F(FilesTest, TheFileBehindALinkNeedNotExist) {
  fs::create_symlink("second", scratch() / "first");
  fs::create_symlink("file", scratch() / "second");
  write_file_atomically(scratch() / "first", "new");
  EXPECT_TRUE(fs::is_symlink(scratch() / "first"));
  EXPECT_EQ(read_file(scratch() / "file"), "new");
}

TEST_F(FilesTest, TwoNamesOfAFileThatDoesNotExist) {
  EXPECT_TRUE(is_same_file("missing.txt", "./missing.txt"));
  EXPECT_TRUE(is_same_file("missing.txt", fs::current_path() / "missing.txt"));
  EXPECT_FALSE(is_same_file("missing.txt", "missing.text"));
}

TEST_F(FilesTest, AReplacedFileKeepsItsPermissions) {
  const fs::path file = write("file", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_file_atomically(file, "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FilesTest, WhatCannotBeReadIsAnError) {
  for (const fs::path& path : {scratch(), fs::path("/proc/self/mem")}) {
    EXPECT_THAT(message_of<Error>([&] { read_file(path); }), HasSubstr("cannot be read")) << path;
    EXPECT_THAT(message_of<Error>([&] { file_crc32(path); }), HasSubstr("cannot be read")) << path;
  }
}

// If its output is a file, /dev/stdout is a link to a regular file.
TEST_F(FilesTest, StandardOutputIsNotReplaced) {
  EXPECT_FALSE(may_be_replaced("/dev/stdout"));
  EXPECT_FALSE(may_be_replaced("/proc/self/fd/1"));
  EXPECT_FALSE(may_be_replaced(scratch()));
  EXPECT_TRUE(may_be_replaced(scratch() / "none"));
  EXPECT_THROW(write_file_atomically("/dev/stdout", "text"), Error);
}

TEST_F(FilesTest, LeftoversOfKilledWritersGo) {
  const std::string dead = write("report.dietmt-tmp123", "half");
  const std::string living = write("report.dietmt-tmp124", "half");
  const std::string own = write("report.tmp1", "the user's own");
  const std::string other = write("report.dietmt-tmp1.txt", "the user's own");
  const int writer = ::open(living.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  write_file_atomically(scratch() / "report", "whole");
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living));
  EXPECT_TRUE(fs::exists(own));
  EXPECT_TRUE(fs::exists(other));
  ::close(writer);
}

TEST_F(FilesTest, WriteReplacesTheWholeFile) {
  const fs::path path = scratch() / "file";
  const std::string binary("a\0\r\n\xFF", 5);
  write_file_atomically(path, "a longer text than the next");
  write_file_atomically(path, binary);
  EXPECT_EQ(read_file(path), binary);
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_F(FilesTest, AFailedWriteLeavesTheOldFile) {
  const fs::path path = scratch() / "file";
  write_file_atomically(path, "old");
  {
    const FileSizeLimit limit(1000);
    try {
      write_file_atomically(path, std::string(5000, 'x'));
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
      EXPECT_THAT(error.what(), HasSubstr("File too large"));
    }
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_F(FilesTest, APipeIsNotReplacedByAFile) {
  const fs::path pipe = scratch() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(write_file_atomically(pipe, "x"), Error);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(FilesTest, AFileIsNotReplacedByADirectory) {
  const fs::path path = write("file", "the user's own");
  EXPECT_THROW(AtomicDirectory{path}, Error);
  EXPECT_EQ(read_file(path), "the user's own");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_F(FilesTest, ErrorsNameThePath) {
  for (const auto& action : std::initializer_list<std::function<void()>>{
           [&] { read_file(scratch() / "absent"); },
           [&] { write_file_atomically(scratch() / "no" / "absent", "x"); },
           [&] { file_crc32(scratch() / "absent"); }}) {
    try {
      action();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("absent"));
      EXPECT_THAT(error.what(), HasSubstr("No such file"));
    }
  }
}

TEST_F(FilesTest, Crc32OfTheCheckString) {
  EXPECT_EQ(file_crc32(write("check", "123456789")), 0xCBF43926U);
}

TEST_F(FilesTest, ADirectoryAppearsWhenCommitted) {
  const fs::path path = scratch() / "model";
  AtomicDirectory directory(path);
  write_file_atomically(directory.path() / "a", "1");
  EXPECT_FALSE(fs::exists(path));
  directory.commit();
  EXPECT_EQ(read_file(path / "a"), "1");
  EXPECT_EQ(manifest_problem(path), "");
  EXPECT_THAT(names(), UnorderedElementsAre("model"));
}

TEST_F(FilesTest, ADirectoryMayEndInASeparator) {
  AtomicDirectory directory((scratch() / "model").string() + "/");
  write_file_atomically(directory.path() / "a", "1");
  directory.commit();
  EXPECT_EQ(manifest_problem(scratch() / "model"), "");
  EXPECT_THAT(names(), UnorderedElementsAre("model"));
}

TEST_F(FilesTest, AnUncommittedDirectoryVanishes) {
  const fs::path path = scratch() / "model";
  {
    AtomicDirectory directory(path);
    write_file_atomically(directory.path() / "a", "1");
  }
  EXPECT_THAT(names(), UnorderedElementsAre());
}

TEST_F(FilesTest, ANewDirectoryRemovesWhatKilledWritersHaveLeft) {
  const fs::path path = scratch() / "model";
  const fs::path dead = path.string() + ".dietmt-tmp1", living = path.string() + ".dietmt-tmp2";
  for (const fs::path& left : {dead, living}) {
    fs::create_directory(left);
    write_file_atomically(left / "a", "1");
  }
  const FileDescriptor writer(::open(living.c_str(), O_RDONLY));
  ASSERT_EQ(::flock(writer.number(), LOCK_EX), 0);
  AtomicDirectory(path).commit();
  EXPECT_THAT(names(), UnorderedElementsAre("model", "model.dietmt-tmp2"));
}

TEST_F(FilesTest, CommitReplacesNoDirectoryWithFiles) {
  const fs::path path = scratch() / "model";
  for (const std::string name : {"old", "new"}) {
    AtomicDirectory directory(path);
    write_file_atomically(directory.path() / name, name);
    if (name == "old")
      directory.commit();
    else
      EXPECT_THROW(directory.commit(), Error);
  }
  EXPECT_FALSE(fs::exists(path / "new"));
  EXPECT_EQ(read_file(path / "old"), "old");
  EXPECT_EQ(manifest_problem(path), "");
  EXPECT_THAT(names(), UnorderedElementsAre("model"));
}

// Each cuts off what it could not write completely, which must never be the other's record.
TEST_F(FilesTest, TwoMayAppendWhileTheDiskFills) {
  for (int round = 0; round < 50; ++round) {
    const fs::path path = scratch() / ("records" + std::to_string(round));
    const FileSizeLimit limit(1000);
    const auto append_all = [&](const std::string& record) {
      AppendFile file(path);
      int whole = 0;
      for (int i = 0; i < 100; ++i) {
        try {
          file.append(record);
          ++whole;
        } catch (const Error&) {
        }
      }
      return whole;
    };
    const std::string one = "1\n", many = std::string(300, '2') + '\n';
    auto other = std::async(std::launch::async, append_all, many);
    const int ones = append_all(one), manys = other.get();
    const std::string text = read_file(path);
    EXPECT_EQ(text.size(),
              static_cast<size_t>(ones) * one.size() + static_cast<size_t>(manys) * many.size());
    EXPECT_EQ(std::ranges::count(text, '1'), ones);
  }
}

TEST_F(FilesTest, AFileIsIntactUnlessItsManifestSaysOtherwise) {
  const fs::path path = scratch() / "model";
  AtomicDirectory directory(path);
  write_file_atomically(directory.path() / "weights", "12345");
  directory.commit();
  write_file_atomically(path / "unlisted", "1");
  EXPECT_NO_THROW(require_intact(path / "weights"));
  EXPECT_NO_THROW(require_intact(path / "unlisted"));

  write_file_atomically(path / "weights", "12346");
  EXPECT_NO_THROW(require_intact(path / "unlisted"));
  try {
    require_intact(path / "weights");
    FAIL() << "no error";
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), HasSubstr("weights differs in checksum"));
  }
  fs::remove(path / "manifest.json");
  EXPECT_NO_THROW(require_intact(path / "weights"));
}

TEST_F(FilesTest, TheManifestFindsDamage) {
  const fs::path path = scratch() / "model";
  AtomicDirectory directory(path);
  write_file_atomically(directory.path() / "weights", "12345");
  directory.commit();

  write_file_atomically(path / "weights", "1234");
  EXPECT_THAT(manifest_problem(path), HasSubstr("weights differs in size"));
  write_file_atomically(path / "weights", "12346");
  EXPECT_THAT(manifest_problem(path), HasSubstr("weights differs in checksum"));
  fs::remove(path / "weights");
  EXPECT_THAT(manifest_problem(path), HasSubstr("weights is missing"));
  write_file_atomically(path / "manifest.json", "{\"files\": ");
  const std::string manifest = (path / "manifest.json").string();
  EXPECT_THAT(manifest_problem(path), StartsWith(manifest + ": is not valid JSON: parse error at"));
  for (const auto& [text, problem] :
       {std::pair("{}", "files is missing"),
        std::pair(R"({"files": 3})", "files is 3; it must be an"),
        std::pair(R"({"files": {"weights": {"size": "x"}}})",
                  "weights: size is \"x\"; it must be a whole"),
        std::pair(R"({"files": {"weights": {"size": 5}}})", "weights: crc32 is missing")}) {
    write_file_atomically(path / "manifest.json", text);
    EXPECT_THAT(manifest_problem(path), StartsWith(manifest + ": " + problem));
  }
  fs::remove(path / "manifest.json");
  EXPECT_THAT(manifest_problem(path), HasSubstr("manifest.json is missing"));
}

namespace fs = std::filesystem;

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
