// The classes that a pickled state dict of PyTorch may name, and what calling them makes. A tensor
// is a view of a storage, whose numbers are elsewhere in the file. No other class is known, so
// nothing else is ever made or called. See torch/_utils.py for the functions and
// torch/serialization.py for persistent ids.
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
    kLong,      // more than 64 bits: text has its bytes, little-endian
    kText,      // text
    kFloat,     // text has its 8 bytes, big-endian
    kOther,     // bytes, which a state dict does not need
    kSequence,  // tuple or list; number is the index of its items
    kDict,      // number is the index of its items: key, value, key, value, ...
    kClass,     // number is its index among the known classes
    kStorage,   // number is its index in PickledTensors
    kTensor,    // number is its index in PickledTensors
    kForeign,   // a class other than tensors'
    kRecord,    // what calling kForeign gives, though nothing is called: its states, by number
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

/// A view that lies within its storage and has no more elements than it.
struct PickledTensor {
  std::string_view storage;  // key
  int64_t offset = 0;        // in elements, as are the strides
  std::vector<int64_t> shape, strides;
};

/// Which classes other than tensors' a pickle may name. None of them is ever made or called.
enum class ForeignClasses {
  kNone,
  kCheckpoints,  // those that training with fairseq, OpenNMT-py or JoeyNMT saves
  kAll,
};

/// The known class `module.name`, or a placeholder for one that `foreign` allows. Throws
/// CheckpointError with the name of any other class.
PickleValue pickled_class(std::string_view module, std::string_view name, ForeignClasses foreign);

class PickledTensors {
 public:
  /// The storage of a persistent id: ('storage', class, key, location, elements[, view]). Throws
  /// CheckpointError with the reason.
  PickleValue storage(std::span<const PickleValue> id, std::span<const PickleValue> view);

  /// Whether calling this class makes a dictionary; all others make tensors.
  static bool makes_dict(const PickleValue& called);

  /// The tensor that torch._utils rebuilds. `shape` and `strides` are the items of the third and
  /// fourth arguments. Throws CheckpointError with the reason.
  PickleValue tensor(const PickleValue& called, std::span<const PickleValue> arguments,
                     std::span<const PickleValue> shape, std::span<const PickleValue> strides);

  const std::map<std::string_view, PickledStorage>& storages() const { return storages_; }
  const PickledTensor& at(const PickleValue& tensor) const;

 private:
  /// A storage, or the part of it that a persistent id names.
  struct Part {
    std::string_view key;
    int64_t offset = 0;
    int64_t elements = 0;
  };

  std::map<std::string_view, PickledStorage> storages_;
  std::vector<Part> parts_;
  std::vector<PickledTensor> tensors_;
};

/// At most 80 bytes of arbitrary text, for a message.
std::string printable(std::string_view text);

}  // namespace dietmt::interchange
