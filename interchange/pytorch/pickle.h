// Reads a Python pickle (protocols 2 to 5) without Python. Creates only plain values and PyTorch's
// tensors. pickletools.py of CPython describes the opcodes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interchange/pytorch/pickled_tensors.h"

namespace dietmt::interchange {

class Pickle {
 public:
  /// Reads the pickle at the start of `bytes`, which must outlive this object. Throws
  /// CheckpointError with the reason if the pickle is truncated or damaged, names classes other
  /// than tensors' unless `foreign` allows it, or takes more than four million steps. Time and
  /// memory are therefore bounded for a pickle of any size. Nothing recurses; values may contain
  /// themselves.
  explicit Pickle(std::string_view bytes, ForeignClasses foreign = ForeignClasses::kNone);

  /// Length of the pickle in bytes.
  size_t size() const { return at_; }

  const PickleValue& root() const { return root_; }

  /// The items of a sequence; for a dictionary, key, value, key, value, ...; for a record, the
  /// states that it was given. Throws CheckpointError for any other value.
  std::span<const PickleValue> items(const PickleValue& value) const;

  const PickledTensors& tensors() const { return tensors_; }

 private:
  std::string_view take(uint64_t count);
  uint64_t number(uint64_t bytes);  // unsigned, little-endian
  std::string_view line();

  void push(PickleValue value) { stack_.push_back(value); }
  void push(PickleValue::Kind kind, int64_t number) { stack_.push_back({kind, number, {}}); }
  void push_text(std::string_view text) { push({PickleValue::Kind::kText, 0, text}); }
  void push_long(std::string_view bytes);
  void push_collection(PickleValue::Kind kind, std::vector<PickleValue> items);
  PickleValue pop();
  PickleValue& top();
  size_t begin_of_frame() const { return marks_.empty() ? 0 : marks_.back(); }
  std::vector<PickleValue> pop_last(size_t count);
  std::vector<PickleValue> pop_to_mark();
  void append(PickleValue::Kind kind, const std::vector<PickleValue>& items);

  // Each returns whether it handles the opcode.
  bool push_constant(uint8_t opcode);
  bool change_collection(uint8_t opcode);
  bool use_memo(uint8_t opcode);
  bool make_object(uint8_t opcode);

  void persistent_id();
  void call();
  void set_attributes();

  std::string_view bytes_;
  ForeignClasses foreign_;
  size_t at_ = 0;
  std::vector<PickleValue> stack_;
  std::vector<size_t> marks_;  // stack sizes
  std::unordered_map<uint64_t, PickleValue> memo_;
  std::vector<std::vector<PickleValue>> collections_;
  PickledTensors tensors_;
  PickleValue root_;
};

}  // namespace dietmt::interchange
