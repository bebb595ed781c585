// The classes that a pickled state dict of PyTorch may name, and what their calls make: a tensor is
// a view of a storage, whose numbers lie elsewhere in the file. No other class is known, so nothing
// else is ever made or called. torch/_utils.py has the functions, torch/serialization.py the
// persistent ids.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::interchange {

/// A value of a pickle. Texts are views of its bytes.
struct PickleValue {
  enum class Kind {
    kNone,
    kBool,      // number
    kNumber,    // number
    kLong,      // a number of more than 64 bits: text has its bytes, little-endian
    kText,      // text
    kOther,     // floating-point numbers and bytes, which a state dict does not need
    kSequence,  // tuple or list; number is the place of its items
    kDict,      // number is the place of its items: key, value, key, value, ...
    kClass,     // number is its place among the known classes
    kStorage,   // number is its place in PickledTensors
    kTensor,    // the same
    kForeign,   // a class that is not known, or what a call of it would make: nothing is called
  };
  Kind kind = Kind::kNone;
  int64_t number = 0;
  std::string_view text = {};
};

/// Numbers of one type.
struct PickledStorage {
  std::string_view dtype;  // as safetensors names it: "F32"
  uint64_t element_bytes = 0;
  int64_t elements = 0;
};

/// A view of a storage that lies within it and has no more elements than it.
struct PickledTensor {
  std::string_view storage;  // key
  int64_t offset = 0;        // in elements, as the strides are
  std::vector<int64_t> shape, strides;
};

/// What becomes of classes that are not known.
enum class ForeignClasses { kRefused, kIgnored };

/// The known class `module.name`. Throws CheckpointError naming any other class, or returns a value
/// that stands for it.
PickleValue pickled_class(std::string_view module, std::string_view name, ForeignClasses foreign);

class PickledTensors {
 public:
  /// What a persistent id stands for: ('storage', class, key, location, elements[, view]). Throws
  /// CheckpointError with the reason.
  PickleValue storage(std::span<const PickleValue> id, std::span<const PickleValue> view);

  /// Whether a call of this class makes a dictionary; all others make tensors.
  static bool makes_dict(const PickleValue& called);

  /// The tensor that torch._utils rebuilds. `shape` and `strides` are the items of the third and
  /// fourth argument. Throws CheckpointError with the reason.
  PickleValue tensor(const PickleValue& called, std::span<const PickleValue> arguments,
                     std::span<const PickleValue> shape, std::span<const PickleValue> strides);

  const std::map<std::string_view, PickledStorage>& storages() const { return storages_; }
  const PickledTensor& at(const PickleValue& tensor) const;

 private:
  /// A storage, or the part that a persistent id names.
  struct Part {
    std::string_view key;
    int64_t offset = 0;
    int64_t elements = 0;
  };

  std::map<std::string_view, PickledStorage> storages_;
  std::vector<Part> parts_;
  std::vector<PickledTensor> tensors_;
};

/// At most 80 bytes of a text that may hold anything, for a message.
std::string printable(std::string_view text);

}  // namespace dietmt::interchange
