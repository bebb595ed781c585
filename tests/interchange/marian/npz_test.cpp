#include "interchange/marian/npz.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cstring>

#include "common/error.h"
#include "interchange/marian/npz_archive.h"
#include "storage/npy.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

using testing::HasSubstr;

std::string npy(const std::string& type, const std::vector<int64_t>& shape, std::string data) {
  return storage::npy_header(type, shape) + data;
}

TEST(Npy, ShapesAndTypes) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::string data(reinterpret_cast<const char*>(values.data()), 24);
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{2, 3}, std::vector<int64_t>{6}}) {
    const std::string bytes = npy("<f4", shape, data);
    const NpyArray array = read_npy(bytes);
    EXPECT_EQ(array.type, "<f4");
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.data, data);
  }
}

TEST(Npy, DamageIsNamed) {
  const auto failed = [](const std::string& bytes) {
    return failure<CheckpointError>([&] { read_npy(bytes); });
  };
  EXPECT_THAT(failed("PK and more bytes"), HasSubstr("not a NumPy array"));
  EXPECT_THAT(failed(npy("<f4", {7}, std::string(24, 'x'))), HasSubstr("too early"));
  EXPECT_THAT(failed(npy("<c8", {1}, std::string(8, 'x'))), HasSubstr("'<c8'"));
  EXPECT_THAT(failed(npy("<f4", {INT64_C(1) << 40, INT64_C(1) << 40}, "")),
              HasSubstr("impossible"));
  EXPECT_THAT(failed(npy("<f4", {1}, "1234").substr(0, 9)), HasSubstr("too early"));
}

TEST(Npy, ALongHeaderIsReadWithoutAStackOfItsLength) {
  const std::string type(1'000'000, 'x');
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (1,), }";
  const auto length = static_cast<uint32_t>(header.size());
  const std::string bytes = std::string("\x93NUMPY\2\0", 8) +
                            std::string(reinterpret_cast<const char*>(&length), 4) + header;
  EXPECT_THAT(failure<CheckpointError>([&] { read_npy(bytes); }), HasSubstr("unknown type"));
}

class NpzTest : public ScratchTest {};

// For such an entry the reader would allocate as much memory as it claims to need.
TEST_F(NpzTest, AnEntryThatClaimsTooMuchIsAnError) {
  std::string archive = read_file(case_directory("marian") / "model.npz");
  const size_t entry = archive.find("PK\1\2");
  archive[entry + 10] = 8;  // deflated
  archive.replace(entry + 24, 4, std::string("\xF0\xFF\xFF\xFF"));
  const std::string path = write("large.npz", archive);
  EXPECT_THAT(failure<CheckpointError>([&] { load_npz(path); }), HasSubstr("too large"));
}

// As in an archive bomb, whose entries are all the same bytes.
TEST_F(NpzTest, EntriesThatShareBytesAreAnError) {
  std::string archive = read_file(case_directory("marian") / "model.npz");
  const size_t end = archive.rfind("PK\5\6");
  uint16_t entries = 0;
  uint32_t size = 0, begin = 0;
  std::memcpy(&entries, &archive[end + 10], sizeof entries);
  std::memcpy(&size, &archive[end + 12], sizeof size);
  std::memcpy(&begin, &archive[end + 16], sizeof begin);
  const std::string directory = archive.substr(begin, size);
  entries = static_cast<uint16_t>(3 * entries);
  size *= 3;
  std::memcpy(&archive[end + 8], &entries, sizeof entries);
  std::memcpy(&archive[end + 10], &entries, sizeof entries);
  std::memcpy(&archive[end + 12], &size, sizeof size);
  archive.insert(end, directory + directory);
  const std::string path = write("shared.npz", archive);
  EXPECT_THAT(failure<CheckpointError>([&] { load_npz(path); }), HasSubstr("overlaps"));
}

TEST_F(NpzTest, DamagedArchivesAreErrors) {
  const std::string whole = read_file(case_directory("marian") / "model.npz");
  EXPECT_GT(load_npz(case_directory("marian") / "model.npz").size(), 40U);
  for (size_t cut = 1; cut < whole.size(); cut += 997) {
    const std::string path = write("cut.npz", whole.substr(0, whole.size() - cut));
    EXPECT_THAT(failure<CheckpointError>([&] { load_npz(path); }), HasSubstr("cut.npz"));
  }
  for (size_t at = 0; at < whole.size(); at += 613) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    const std::string path = write("changed.npz", changed);
    // A date or an attribute may differ; the result must be an error or the arrays.
    try {
      load_npz(path);
    } catch (const CheckpointError& error) {
      EXPECT_THAT(error.what(), HasSubstr("changed.npz"));
    }
  }
}

}  // namespace
}  // namespace dietmt::interchange
