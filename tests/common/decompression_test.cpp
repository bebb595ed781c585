#include "common/decompression.h"

#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zstd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/text_io.h"
#include "tests/common/gzipped.h"
#include "tests/common/scratch.h"
#include "tests/common/standard_input.h"

namespace dietmt {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string bzipped(const std::string& text) {
  std::string bytes(text.size() + text.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(bytes.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(bytes.data(), &size, const_cast<char*>(text.data()),
                                     static_cast<unsigned>(text.size()), 1, 0, 0),
            BZ_OK);
  bytes.resize(size);
  return bytes;
}

std::string xzipped(const std::string& text) {
  std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
  size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr,
                                    reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<uint8_t*>(bytes.data()), &size, bytes.size()),
            LZMA_OK);
  bytes.resize(size);
  return bytes;
}

// With a checksum, as the program zstd writes it.
std::string zstandardized(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()) + 4, '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  bytes.resize(ZSTD_compress2(context, bytes.data(), bytes.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return bytes;
}

std::string numbered_lines(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += std::to_string(i * 7919) + '\n';
  return text;
}

struct Format {
  std::string name;
  std::function<std::string(const std::string&)> compress;
};

class CompressedTextTest : public ScratchTest, public ::testing::WithParamInterface<Format> {
 protected:
  static std::string compressed(const std::string& text) { return GetParam().compress(text); }
};

TEST_P(CompressedTextTest, IsRecognisedByContent) {
  EXPECT_THAT(read_lines(write("text.txt", compressed("a\nb\n"))), ElementsAre("a", "b"));
  EXPECT_THAT(read_lines(write("empty", compressed(""))), ElementsAre());
}

TEST_P(CompressedTextTest, ConcatenatedMembersAreOneText) {
  const std::string big = numbered_lines(100'000);
  const std::vector<std::string> lines =
      read_lines(write("members", compressed("a\nb") + compressed("") + compressed("c\n" + big)));
  ASSERT_EQ(lines.size(), 100'002U);
  EXPECT_EQ(lines[1], "bc");
  EXPECT_EQ(read_lines(write("big", big)), std::vector(lines.begin() + 2, lines.end()));
}

TEST_P(CompressedTextTest, ATruncatedFileIsAnError) {
  const std::string bytes = compressed(numbered_lines(100'000));
  for (const size_t size : {bytes.size() / 2, bytes.size() - 1}) {
    const std::string path = write("cut", bytes.substr(0, size));
    try {
      read_lines(path);
      FAIL() << "no error";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path + ":"));
      EXPECT_THAT(error.what(), HasSubstr(GetParam().name + ": the file is cut short"));
    }
  }
}

TEST_P(CompressedTextTest, ADamagedFileIsAnError) {
  std::string bytes = compressed(numbered_lines(1000));
  for (size_t i = bytes.size() / 2; i < bytes.size() / 2 + 8; ++i) bytes[i] ^= 0x55;
  EXPECT_THROW(read_lines(write("damaged", bytes)), DataError);
  EXPECT_THROW(read_lines(write("garbage", compressed("a\n") + "rubbish")), DataError);
}

TEST_P(CompressedTextTest, ItsBytesMayArriveOneByOne) {
  StandardInput input;
  std::thread writer([&] {
    for (const char byte : compressed("a\nb\n")) input.send({&byte, 1});
    input.close();
  });
  EXPECT_THAT(read_lines("-"), ElementsAre("a", "b"));
  writer.join();
}

TEST_P(CompressedTextTest, Utf16InsideIsNoText) {
  EXPECT_THROW(read_lines(write("inside", compressed("\xFF\xFE"s + "a\0\n\0"s))), DataError);
}

INSTANTIATE_TEST_SUITE_P(Formats, CompressedTextTest,
                         ::testing::Values(Format{"gzip", gzipped}, Format{"bzip2", bzipped},
                                           Format{"xz", xzipped}, Format{"zstd", zstandardized}),
                         [](const auto& format) { return format.param.name; });

class NotTextTest : public ScratchTest {};

TEST_F(NotTextTest, IsRefusedWithWhatToDo) {
  const auto problem = [&](const std::string& bytes) -> std::string {
    try {
      read_lines(write("file", bytes));
    } catch (const DataError& error) {
      return error.what();
    }
    return "none";
  };
  const std::string file = (scratch() / "file").string() + ": is ";
  for (const std::string& text : {"\xFF\xFE"s + "a\0\n\0"s, "\xFE\xFF"s + "\0a\0\n"s})
    EXPECT_EQ(problem(text), file + "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8");
  EXPECT_THAT(problem("a\0b\0\n\0"s), HasSubstr("iconv -f UTF-16LE"));
  EXPECT_THAT(problem("\0a\0b\0\n"s), HasSubstr("iconv -f UTF-16BE"));
  EXPECT_THAT(problem("PK\x03\x04..."), HasSubstr("a ZIP archive or an office document"));
  EXPECT_EQ(problem("%PDF-1.7\n..."), file + "a PDF, not text; export its text");
  EXPECT_EQ(problem(std::string(257, 'a') + "ustar\0"s), file + "an archive, not text; unpack it");
  EXPECT_THAT(problem("\x04\x22\x4d\x18..."), HasSubstr("decompress it"));
}

TEST_F(NotTextTest, TextThatLooksLikeIt) {
  for (const std::string& text :
       {"BZh"s, "BZh9"s, "BZh91AY&S"s, "P*M"s, "PK"s, "7z"s, "("s, "a"s + '\0'})
    EXPECT_THAT(read_lines(write("text", text)), ElementsAre(text));
}

}  // namespace
}  // namespace dietmt
