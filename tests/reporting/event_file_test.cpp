#include "reporting/event_file.h"

#include <gmock/gmock.h>

#include <cstring>
#include <vector>

#include "common/files.h"
#include "tests/common/test_directory.h"

namespace dietmt::reporting {
namespace {

// The definition of CRC-32C, bit by bit.
uint32_t slow_crc32c(const std::string& bytes) {
  uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) * 0x82f63b78U);
  }
  return ~crc;
}

template <typename T>
T take(std::string& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.erase(0, sizeof value);
  return value;
}

uint64_t take_varint(std::string& bytes) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = take<uint8_t>(bytes);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

// Fields of a message: number and bytes of the value.
std::vector<std::pair<uint64_t, std::string>> fields_of(std::string message) {
  std::vector<std::pair<uint64_t, std::string>> fields;
  while (!message.empty()) {
    const uint64_t key = take_varint(message);
    std::string value;
    if ((key & 7) == 0) {
      const uint64_t number = take_varint(message);
      value.assign(reinterpret_cast<const char*>(&number), sizeof number);
    } else {
      const size_t size = (key & 7) == 1 ? 8 : (key & 7) == 5 ? 4 : take_varint(message);
      value = message.substr(0, size);
      message.erase(0, size);
    }
    fields.emplace_back(key >> 3, value);
  }
  return fields;
}

// The messages of a file, with verified checksums.
std::vector<std::string> records_of(std::string bytes) {
  const auto masked = [](const std::string& part) {
    const uint32_t crc = slow_crc32c(part);
    return (crc >> 15 | crc << 17) + 0xa282ead8U;
  };
  std::vector<std::string> records;
  while (!bytes.empty()) {
    const std::string length_bytes = bytes.substr(0, 8);
    const auto length = take<uint64_t>(bytes);
    EXPECT_EQ(take<uint32_t>(bytes), masked(length_bytes));
    records.push_back(bytes.substr(0, length));
    bytes.erase(0, length);
    EXPECT_EQ(take<uint32_t>(bytes), masked(records.back()));
  }
  return records;
}

TEST(EventFile, Crc32cHasItsCheckValue) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(EventFile, HoldsVersionStartAndScalars) {
  const TestDirectory directory;
  std::filesystem::path path;
  {
    EventFile events(directory.path(), 301);
    events.add_scalar("valid/bleu", 400, 21.5);
    path = events.path();
  }
  EXPECT_THAT(path.filename().string(), testing::StartsWith("events.out.tfevents."));
  const std::vector<std::string> records = records_of(read_file(path));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(fields_of(records[0]).at(2), (std::pair<uint64_t, std::string>(3, "brain.Event:2")));

  const auto start = fields_of(records[1]);
  std::string step = start.at(1).second;
  EXPECT_EQ(take<uint64_t>(step), 301U);
  EXPECT_EQ(start.at(2), (std::pair<uint64_t, std::string>(7, "\x08\x01")));

  const auto event = fields_of(records[2]);
  step = event.at(1).second;
  EXPECT_EQ(take<uint64_t>(step), 400U);
  ASSERT_EQ(event.at(2).first, 5U);
  const auto scalar = fields_of(fields_of(event.at(2).second).at(0).second);
  EXPECT_EQ(scalar.at(0).second, "valid/bleu");
  std::string value = scalar.at(1).second;
  EXPECT_EQ(take<float>(value), 21.5F);
}

TEST(EventFile, FilesOfTheSameSecondAreDistinct) {
  const TestDirectory directory;
  const EventFile first(directory.path(), 0), second(directory.path(), 0);
  EXPECT_NE(first.path(), second.path());
}

}  // namespace
}  // namespace dietmt::reporting
