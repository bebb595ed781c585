// The fields of a message in the encoding of Protocol Buffers, as sentencepiece models have it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/error.h"

namespace dietmt::data {

struct ProtobufField {
  uint64_t number = 0;
  uint64_t value = 0;      // of integers; the bits of a float
  std::string_view bytes;  // of strings and messages
  std::string_view whole;  // all bytes of the field, with its number
};

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view bytes) : rest_(bytes) {}

  /// Returns false at the end. Throws DataError.
  bool next(ProtobufField& field) {
    if (rest_.empty()) return false;
    const std::string_view before = rest_;
    const uint64_t tag = varint();
    field = {tag >> 3, 0, {}, {}};
    switch (tag & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        field.value = fixed<uint64_t>();
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        field.value = fixed<uint32_t>();
        break;
      default:
        throw DataError("not a sentencepiece model: unknown wire type");
    }
    field.whole = before.substr(0, before.size() - rest_.size());
    return true;
  }

 private:
  std::string_view take(uint64_t size) {
    if (size > rest_.size()) throw DataError("not a sentencepiece model: a field is cut off");
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<uint8_t>(take(1).front());
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw DataError("not a sentencepiece model: an integer is too long");
  }

  // Little-endian.
  template <typename Number>
  Number fixed() {
    static_assert(std::endian::native == std::endian::little);
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view rest_;
};

}  // namespace dietmt::data
