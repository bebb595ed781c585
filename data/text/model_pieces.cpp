#include "data/text/model_pieces.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "data/text/protobuf_reader.h"

namespace dietmt::data {
namespace {

// Fields of the model. A changed model does not pass the tests of the old one.
constexpr uint64_t kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3, kTests = 4;
constexpr uint64_t kText = 1, kScore = 2, kKind = 3;  // of a piece
constexpr uint64_t kNormal = 1;                       // a kind
constexpr uint64_t kModelType = 3;                    // of the trainer's settings
constexpr uint64_t kUnigramType = 1, kBpeType = 2;
constexpr uint64_t kRulesName = 1, kRules = 2;  // of the normalizer's settings

ModelPiece piece_of(std::string_view bytes) {
  ModelPiece piece;
  ProtobufReader message(bytes);
  for (ProtobufField field; message.next(field);) {
    if (field.number == kText) piece.text = field.bytes;
    if (field.number == kScore)
      piece.score = std::bit_cast<float>(static_cast<uint32_t>(field.value));
    if (field.number == kKind) piece.normal = field.value == kNormal;
  }
  return piece;
}

SubwordModel model_of(std::string_view trainer_spec) {
  SubwordModel model = SubwordModel::kUnigram;
  ProtobufReader message(trainer_spec);
  for (ProtobufField field; message.next(field);) {
    if (field.number != kModelType) continue;
    model = field.value == kUnigramType ? SubwordModel::kUnigram
            : field.value == kBpeType   ? SubwordModel::kBpe
                                        : SubwordModel::kOther;
  }
  return model;
}

std::string rules_of(std::string_view normalizer_spec) {
  std::string rules;
  ProtobufReader message(normalizer_spec);
  for (ProtobufField field; message.next(field);)
    if (field.number == kRules) rules = field.bytes;
  return rules;
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// A field that holds bytes.
std::string field_of(uint64_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string field_of(const ModelPiece& piece) {
  const auto score = static_cast<float>(piece.score);
  std::string bits(sizeof score, '\0');
  std::memcpy(bits.data(), &score, sizeof score);
  return field_of(kPieces, field_of(kText, piece.text) + varint(kScore << 3 | 5) + bits);
}

}  // namespace

std::string changed_model(std::string_view model, const std::vector<bool>& kept,
                          std::span<const ModelPiece> added) {
  std::string changed;
  size_t id = 0;
  ProtobufReader message(model);
  for (ProtobufField field; message.next(field);)
    if (field.number == kPieces ? kept.at(id++) : field.number != kTests) changed += field.whole;
  for (const ModelPiece& piece : added) changed += field_of(piece);
  return changed;
}

std::string with_normalization(std::string_view model, const std::string& name,
                               const std::string& rules) {
  std::string changed;
  ProtobufReader message(model);
  for (ProtobufField field; message.next(field);) {
    if (field.number == kTests) continue;
    if (field.number != kNormalizerSpec) {
      changed += field.whole;
      continue;
    }
    std::string settings = field_of(kRulesName, name) + field_of(kRules, rules);
    ProtobufReader spec(field.bytes);
    for (ProtobufField setting; spec.next(setting);)
      if (setting.number != kRulesName && setting.number != kRules) settings += setting.whole;
    changed += field_of(kNormalizerSpec, settings);
  }
  return changed;
}

ModelPieces model_pieces(std::string_view model) {
  ModelPieces result;
  ProtobufReader message(model);
  for (ProtobufField field; message.next(field);) {
    if (field.number == kPieces) result.pieces.push_back(piece_of(field.bytes));
    if (field.number == kTrainerSpec) result.model = model_of(field.bytes);
    if (field.number == kNormalizerSpec) result.normalization = rules_of(field.bytes);
  }
  return result;
}

}  // namespace dietmt::data
