#include "storage/npy.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/scratch.h"

namespace dietmt::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr size_t kHeaderBytes = 128;

class NpyTest : public ScratchTest {};

template <typename Value>
std::vector<Value> values_behind_header(const std::string& bytes) {
  std::vector<Value> values((bytes.size() - kHeaderBytes) / sizeof(Value));
  std::memcpy(values.data(), bytes.data() + kHeaderBytes, values.size() * sizeof(Value));
  return values;
}

// The format: magic string, version, length of the rest, a Python literal, spaces, a line feed.
TEST_F(NpyTest, TheHeaderIsThatOfVersionOne) {
  const std::string header = npy_header("<f4", {3, 20, 768});
  ASSERT_EQ(header.size(), kHeaderBytes);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_THAT(header.substr(10),
              StartsWith("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 20, 768), } "));
  EXPECT_EQ(header.back(), '\n');
}

TEST_F(NpyTest, ShapesArePythonTuples) {
  EXPECT_THAT(npy_header("<i8", {7}), HasSubstr("'shape': (7,), }"));
  EXPECT_THAT(npy_header("<i8", {0, 7}), HasSubstr("'shape': (0, 7), }"));
  EXPECT_THAT(npy_header("<i8", {}), HasSubstr("'shape': (), }"));
}

TEST_F(NpyTest, AShapeThatDoesNotFitIsRefused) {
  EXPECT_THROW(npy_header("<f4", std::vector<int64_t>(40, 1000)), Error);
}

TEST_F(NpyTest, RowsAreCountedWhileTheyAreWritten) {
  const fs::path path = scratch() / "rows.npy";
  NpyWriter<float> writer(path, {.row = {2}});
  writer.append(std::vector<float>{1, 2});
  writer.append(std::vector<float>{3, 4, 5, 6});
  EXPECT_FALSE(fs::exists(path));
  writer.commit();
  const std::string bytes = read_file(path);
  EXPECT_EQ(bytes.substr(0, kHeaderBytes), npy_header("<f4", {3, 2}));
  EXPECT_THAT(values_behind_header<float>(bytes), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(names(), UnorderedElementsAre("rows.npy"));
}

TEST_F(NpyTest, LayersGrowTogetherAndAreStoredOneBehindTheOther) {
  const fs::path path = scratch() / "layers.npy";
  NpyWriter<int64_t> writer(path, {.row = {2}, .layers = 3});
  for (const int64_t row : {0, 10})
    for (const int64_t layer : {0, 1, 2})
      writer.append(std::vector<int64_t>{100 * layer + row, 100 * layer + row + 1}, layer);
  writer.commit();
  const std::string bytes = read_file(path);
  EXPECT_EQ(bytes.substr(0, kHeaderBytes), npy_header("<i8", {3, 2, 2}));
  EXPECT_THAT(values_behind_header<int64_t>(bytes),
              ElementsAre(0, 1, 10, 11, 100, 101, 110, 111, 200, 201, 210, 211));
  EXPECT_THAT(names(), UnorderedElementsAre("layers.npy"));
}

TEST_F(NpyTest, LayersBeyondACopyBlockAreWhole) {
  std::vector<float> values(700'001);
  std::iota(values.begin(), values.end(), 0.0F);
  const fs::path path = scratch() / "long.npy";
  NpyWriter<float> writer(path, {.layers = 2});
  writer.append(values, 0);
  writer.append(values, 1);
  writer.commit();
  std::vector<float> twice = values;
  twice.insert(twice.end(), values.begin(), values.end());
  EXPECT_EQ(values_behind_header<float>(read_file(path)), twice);
}

TEST_F(NpyTest, WithoutCommitTheOldFileStays) {
  const fs::path path = write("file.npy", "old");
  NpyWriter<float>(path, {.layers = 2}).append(std::vector<float>{1}, 1);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(names(), UnorderedElementsAre("file.npy"));
}

TEST_F(NpyTest, IncompleteRowsAreNotCommitted) {
  NpyWriter<float> row(scratch() / "row.npy", {.row = {2}});
  row.append(std::vector<float>{1, 2, 3});
  EXPECT_THROW(row.commit(), Error);
  NpyWriter<float> layers(scratch() / "layers.npy", {.layers = 2});
  layers.append(std::vector<float>{1}, 1);
  EXPECT_THROW(layers.commit(), Error);
  EXPECT_FALSE(fs::exists(scratch() / "row.npy"));
  EXPECT_FALSE(fs::exists(scratch() / "layers.npy"));
}

TEST_F(NpyTest, AFullDiskIsAnErrorThatNamesTheFile) {
  const std::vector<float> values(1000);
  for (const rlim_t limit : {100, 1000}) {
    const FileSizeLimit full(limit);
    try {
      NpyWriter<float>(scratch() / "full.npy", {.row = {2}}).append(values);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("full.npy: cannot be written: File too large"));
    }
  }
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(NpyTest, WhatIsNoFileIsNotReplaced) {
  EXPECT_THROW(NpyWriter<float>(scratch(), {}), Error);
  EXPECT_THROW(NpyWriter<float>(scratch() / "absent" / "file.npy", {}), Error);
}

TEST_F(NpyTest, RowsAreReadAsTheyWereWritten) {
  NpyWriter<float> writer(scratch() / "a.npy", {.row = {2}});
  writer.append(std::vector<float>{1, 2, 3, 4, 5, 6});
  writer.commit();
  const NpyRows read = read_npy_rows(scratch() / "a.npy");
  EXPECT_EQ(read.rows, 3);
  EXPECT_EQ(read.width, 2);
  EXPECT_THAT(read.values, ElementsAre(1, 2, 3, 4, 5, 6));
  // Version 2.0, whose header has a length of four bytes.
  const std::string bytes = read_file(scratch() / "a.npy");
  const std::string later = bytes.substr(0, 6) + std::string("\x02\x00", 2) + bytes.substr(8, 2) +
                            std::string(2, '\0') + bytes.substr(10);
  EXPECT_EQ(read_npy_rows(write("later.npy", later)).values, read.values);
}

TEST_F(NpyTest, OtherFilesAreRefused) {
  const auto failure = [&](const std::string& bytes) -> std::string {
    try {
      read_npy_rows(write("bad.npy", bytes));
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string six(24, '\0');
  EXPECT_EQ(failure(npy_header("<f4", {3, 2}) + six), "no error");
  EXPECT_THAT(failure("PK"), HasSubstr("bad.npy: is not a .npy file"));
  EXPECT_THAT(failure(npy_header("<f4", {3, 2}).substr(0, 40)), HasSubstr("header is cut off"));
  EXPECT_THAT(failure(npy_header("<i8", {3, 1}) + six), HasSubstr("has another type"));
  EXPECT_THAT(failure(npy_header("<f4", {6}) + six), HasSubstr("another number of dimensions"));
  EXPECT_THAT(failure(npy_header("<f4", {1, 3, 2}) + six), HasSubstr("number of dimensions"));
  for (const std::vector<int64_t>& shape :
       std::vector<std::vector<int64_t>>{{4, 2}, {0, 2}, {3, 0}, {int64_t{1} << 61, 8}})
    EXPECT_THAT(failure(npy_header("<f4", shape) + six), HasSubstr("has another size"));
}

}  // namespace
}  // namespace dietmt::storage
