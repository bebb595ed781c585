#include "data/text/model_pieces.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "common/error.h"

namespace dietmt::data {
namespace {

// A field of a message in the encoding of Protocol Buffers.
struct Field {
  uint64_t number = 0;
  uint64_t value = 0;      // of integers; the bits of a float
  std::string_view bytes;  // of strings and messages
};

class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  bool next(Field& field) {
    if (rest_.empty()) return false;
    const uint64_t tag = varint();
    field = {tag >> 3, 0, {}};
    switch (tag & 7) {
      case 0:
        field.value = varint();
        return true;
      case 1:
        field.value = fixed<uint64_t>();
        return true;
      case 2:
        field.bytes = take(varint());
        return true;
      case 5:
        field.value = fixed<uint32_t>();
        return true;
      default:
        throw DataError("not a sentencepiece model: unknown wire type");
    }
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

constexpr uint64_t kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3;  // of the model
constexpr uint64_t kText = 1, kScore = 2, kKind = 3;                    // of a piece
constexpr uint64_t kNormal = 1;                                         // a kind
constexpr uint64_t kModelType = 3;                                      // of the trainer's settings
constexpr uint64_t kUnigramType = 1, kBpeType = 2;
constexpr uint64_t kRules = 2;  // of the normalizer's settings

ModelPiece piece_of(std::string_view bytes) {
  ModelPiece piece;
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number == kText) piece.text = field.bytes;
    if (field.number == kScore)
      piece.score = std::bit_cast<float>(static_cast<uint32_t>(field.value));
    if (field.number == kKind) piece.normal = field.value == kNormal;
  }
  return piece;
}

SubwordModel model_of(std::string_view trainer_spec) {
  SubwordModel model = SubwordModel::kUnigram;
  Message message(trainer_spec);
  for (Field field; message.next(field);) {
    if (field.number != kModelType) continue;
    model = field.value == kUnigramType ? SubwordModel::kUnigram
            : field.value == kBpeType   ? SubwordModel::kBpe
                                        : SubwordModel::kOther;
  }
  return model;
}

std::string rules_of(std::string_view normalizer_spec) {
  std::string rules;
  Message message(normalizer_spec);
  for (Field field; message.next(field);)
    if (field.number == kRules) rules = field.bytes;
  return rules;
}

}  // namespace

ModelPieces model_pieces(std::string_view model) {
  ModelPieces result;
  Message message(model);
  for (Field field; message.next(field);) {
    if (field.number == kPieces) result.pieces.push_back(piece_of(field.bytes));
    if (field.number == kTrainerSpec) result.model = model_of(field.bytes);
    if (field.number == kNormalizerSpec) result.normalization = rules_of(field.bytes);
  }
  return result;
}

}  // namespace dietmt::data
