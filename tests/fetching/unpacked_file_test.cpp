#include "fetching/unpacked_file.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/gzipped.h"
#include "tests/common/test_directory.h"

namespace dietmt::fetching {
namespace {

using ::testing::HasSubstr;

std::string numbers() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i);
  return text;
}

class UnpackedFileTest : public ::testing::Test {
 protected:
  void unpack_bytes(const std::string& bytes) {
    write_text(from_, bytes);
    unpack(from_, to_);
  }
  std::string problem_with(const std::string& bytes) {
    const std::string message = message_of<DataError>([&] { unpack_bytes(bytes); });
    EXPECT_THAT(message, HasSubstr(from_.string()));
    EXPECT_FALSE(std::filesystem::exists(to_)) << "of " << message;
    return message;
  }

  TestDirectory directory_;
  std::filesystem::path from_ = directory_ / "model.bin.packed";
  std::filesystem::path to_ = directory_ / "model.bin";
};

TEST_F(UnpackedFileTest, HoldsTheBytes) {
  unpack_bytes(gzipped(numbers()));
  EXPECT_EQ(read_file(to_), numbers());
}

TEST_F(UnpackedFileTest, DamageLeavesNothing) {
  const std::string whole = gzipped(numbers());
  EXPECT_THAT(problem_with(whole.substr(0, whole.size() - 3)), HasSubstr("cut short"));
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  EXPECT_THAT(problem_with(flipped), HasSubstr("gzip"));
  EXPECT_THAT(problem_with("no archive"), HasSubstr("not compressed"));
  EXPECT_THAT(problem_with(""), HasSubstr("not compressed"));
}

TEST_F(UnpackedFileTest, ABombIsRefused) {
  EXPECT_THAT(problem_with(gzipped(std::string(70 << 20, 'a'))), HasSubstr("unpacks to over"));
}

}  // namespace
}  // namespace dietmt::fetching
