#include "reporting/event_file.h"

#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>

namespace dietmt::reporting {
namespace fs = std::filesystem;
namespace {

static_assert(std::endian::native == std::endian::little, "fixed-width fields are little-endian");

constexpr std::array<uint32_t, 256> crc32c_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78U : 0U);
    table[i] = crc;
  }
  return table;
}

// Protocol buffers: a field starts with (number << 3 | wire type), written as a varint.
enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_varint(std::string& message, uint64_t value) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>(value | 0x80);
  message += static_cast<char>(value);
}
void put_key(std::string& message, uint64_t field, WireType type) {
  put_varint(message, field << 3 | type);
}
template <typename T>
void put_fixed(std::string& message, T value) {
  message.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put_bytes(std::string& message, uint64_t field, std::string_view bytes) {
  put_key(message, field, kBytes);
  put_varint(message, bytes.size());
  message += bytes;
}

double wall_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Event: wall_time = 1, step = 2; the caller adds file_version = 3, summary = 5 or session_log = 7.
std::string event_at(int64_t step) {
  std::string event;
  put_key(event, 1, kFixed64);
  put_fixed(event, wall_time());
  put_key(event, 2, kVarint);
  put_varint(event, static_cast<uint64_t>(step));
  return event;
}

std::string host_name() {
  char name[256] = "host";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = crc32c_table();
  uint32_t crc = ~0U;
  for (const char byte : bytes)
    crc = kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

uint32_t masked_crc32c(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8U;
}

namespace {

// A second file of the same process and second gets a number.
fs::path new_name(const fs::path& directory) {
  const std::string stem = "events.out.tfevents." +
                           std::to_string(static_cast<int64_t>(wall_time())) + "." + host_name() +
                           "." + std::to_string(::getpid());
  fs::path name = directory / stem;
  for (int number = 1; fs::exists(name); ++number)
    name = directory / (stem + "." + std::to_string(number));
  return name;
}

}  // namespace

EventFile::EventFile(const fs::path& directory, int64_t first_step)
    : path_(new_name(directory)), file_(path_) {
  std::string version = event_at(0);
  put_bytes(version, 3, "brain.Event:2");
  write_record(version);
  std::string session_log;  // status = 1: START = 1
  put_key(session_log, 1, kVarint);
  put_varint(session_log, 1);
  std::string start = event_at(first_step);
  put_bytes(start, 7, session_log);
  write_record(start);
}

void EventFile::add_scalar(const std::string& tag, int64_t step, double value) {
  std::string scalar;  // Summary.Value: tag = 1, simple_value = 2
  put_bytes(scalar, 1, tag);
  put_key(scalar, 2, kFixed32);
  put_fixed(scalar, static_cast<float>(value));
  std::string summary;  // Summary: value = 1
  put_bytes(summary, 1, scalar);
  std::string event = event_at(step);
  put_bytes(event, 5, summary);
  write_record(event);
}

void EventFile::write_record(const std::string& event) {
  std::string record;
  put_fixed(record, static_cast<uint64_t>(event.size()));
  put_fixed(record, masked_crc32c(record));
  record += event;
  put_fixed(record, masked_crc32c(event));
  file_.append(record);
}

}  // namespace dietmt::reporting
