#include "interchange/pytorch/plain_value.h"

#include <bit>
#include <nlohmann/json.hpp>
#include <string>

#include "common/error.h"
#include "common/text_io.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;
using Kind = PickleValue::Kind;

constexpr int64_t kMostNested = 20;
// Texts, and some for each value. The pieces of a vocabulary take at least six bytes of its pickle.
constexpr size_t kMostBytes = 4'000'000;
constexpr size_t kMostForByte = 10;
// Attributes of omegaconf's containers and of its nodes.
constexpr const char* kHeld[] = {"_content", "_val"};

double float_of(std::string_view big_endian) {
  uint64_t bits = 0;
  for (const char byte : big_endian) bits = bits << 8 | static_cast<uint8_t>(byte);
  return std::bit_cast<double>(bits);
}

class Conversion {
 public:
  explicit Conversion(const Pickle& pickle)
      : pickle_(pickle), most_(kMostBytes + kMostForByte * pickle.size()) {}

  json convert(const PickleValue& value, int64_t depth) {
    if (depth > kMostNested) throw CheckpointError("has options that are nested too deeply");
    constexpr size_t kOfValue = 40;
    bytes_ += kOfValue + value.text.size();
    if (bytes_ > most_) throw CheckpointError("has more options than its program writes");
    switch (value.kind) {
      case Kind::kBool:
        return value.number != 0;
      case Kind::kNumber:
        return value.number;
      case Kind::kFloat:
        return float_of(value.text);
      case Kind::kText:
        return replace_invalid_utf8(value.text);
      case Kind::kSequence:
        return sequence(value, depth);
      case Kind::kDict:
        return dictionary(value, depth);
      case Kind::kRecord:
        return record(value, depth);
      default:
        return nullptr;
    }
  }

 private:
  json sequence(const PickleValue& value, int64_t depth) {
    json items = json::array();
    for (const PickleValue& item : pickle_.items(value)) items.push_back(convert(item, depth + 1));
    return items;
  }

  json dictionary(const PickleValue& value, int64_t depth) {
    json fields = json::object();
    const std::span<const PickleValue> items = pickle_.items(value);
    for (size_t i = 0; i + 1 < items.size(); i += 2)
      if (items[i].kind == Kind::kText)
        fields[replace_invalid_utf8(items[i].text)] = convert(items[i + 1], depth + 1);
    return fields;
  }

  json record(const PickleValue& value, int64_t depth) {
    json fields = json::object();
    for (const PickleValue& state : pickle_.items(value))
      if (const json more = convert(state, depth + 1); more.is_object()) fields.update(more);
    for (const char* held : kHeld)
      if (fields.contains(held)) return fields.at(held);
    return fields;
  }

  const Pickle& pickle_;
  const size_t most_;
  size_t bytes_ = 0;
};

}  // namespace

json plain_value(const Pickle& pickle, const PickleValue& value) {
  return Conversion(pickle).convert(value, 0);
}

}  // namespace dietmt::interchange
