#include "service/http/byte_range.h"

#include <gtest/gtest.h>

namespace dietmt::service {
namespace {

// "first-last", "beyond" or "ignored".
std::string range_of(std::string_view field, uint64_t size) {
  const auto request = parse_range(field, size);
  if (!request) return "ignored";
  if (!request->range) return "beyond";
  return std::to_string(request->range->first) + "-" + std::to_string(request->range->last);
}

TEST(ByteRangeTest, OneRange) {
  EXPECT_EQ(range_of("bytes=0-3", 10), "0-3");
  EXPECT_EQ(range_of("bytes=4-", 10), "4-9");
  EXPECT_EQ(range_of("bytes=4-99999999999", 10), "4-9");
  EXPECT_EQ(range_of("bytes=-3", 10), "7-9");
  EXPECT_EQ(range_of("bytes=-30", 10), "0-9");
}

TEST(ByteRangeTest, BehindTheContent) {
  EXPECT_EQ(range_of("bytes=10-", 10), "beyond");
  EXPECT_EQ(range_of("bytes=-0", 10), "beyond");
  EXPECT_EQ(range_of("bytes=0-", 0), "beyond");
}

TEST(ByteRangeTest, OthersAreIgnored) {
  for (const char* field : {"", "bytes=", "bytes=a-b", "bytes=5-4", "bytes=0-1,3-4", "lines=0-1",
                            "bytes=-", "bytes=99999999999999999999-", "bytes= 0-1"})
    EXPECT_EQ(range_of(field, 10), "ignored") << field;
}

}  // namespace
}  // namespace dietmt::service
