#include "interchange/pytorch/pickled_tensors.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::interchange {
namespace {

using Kind = PickleValue::Kind;

enum class Role { kDict, kTensor, kParameter, kStorage };

struct KnownClass {
  std::string_view module, name;
  Role role;
  std::string_view dtype = {};
  uint64_t element_bytes = 0;
};
constexpr KnownClass kClasses[] = {{"collections", "OrderedDict", Role::kDict},
                                   {"torch._utils", "_rebuild_tensor", Role::kTensor},
                                   {"torch._utils", "_rebuild_tensor_v2", Role::kTensor},
                                   {"torch._utils", "_rebuild_parameter", Role::kParameter},
                                   {"torch", "DoubleStorage", Role::kStorage, "F64", 8},
                                   {"torch", "FloatStorage", Role::kStorage, "F32", 4},
                                   {"torch", "HalfStorage", Role::kStorage, "F16", 2},
                                   {"torch", "BFloat16Storage", Role::kStorage, "BF16", 2},
                                   {"torch", "LongStorage", Role::kStorage, "I64", 8},
                                   {"torch", "IntStorage", Role::kStorage, "I32", 4},
                                   {"torch", "CharStorage", Role::kStorage, "I8", 1},
                                   {"torch", "ByteStorage", Role::kStorage, "U8", 1},
                                   {"torch", "BoolStorage", Role::kStorage, "BOOL", 1}};

struct ForeignClass {
  std::string_view package;    // the module, or a package around it
  std::string_view name = {};  // empty: any class
};
constexpr ForeignClass kOfCheckpoints[] = {{"argparse", "Namespace"},
                                           {"fairseq"},
                                           {"omegaconf"},
                                           {"onmt"},
                                           {"torchtext"},
                                           {"joeynmt"},
                                           {"numpy"},
                                           {"collections", "Counter"},
                                           {"collections", "defaultdict"},
                                           {"functools", "partial"},
                                           {"_codecs", "encode"},
                                           {"builtins", "getattr"},
                                           {"builtins", "set"},
                                           {"builtins", "int"},
                                           {"__builtin__", "getattr"},
                                           {"__builtin__", "set"},
                                           {"__builtin__", "int"},
                                           {"torch", "device"},
                                           {"torch", "int64"},
                                           {"torch", "Size"}};

constexpr size_t kMostDimensions = 16;

[[noreturn]] void refuse(const std::string& what) { throw CheckpointError(what); }

const KnownClass& class_of(const PickleValue& value) {
  if (value.kind != Kind::kClass) refuse("is damaged: it calls something that is not a class");
  return kClasses[static_cast<size_t>(value.number)];
}

std::vector<int64_t> sizes_in(std::span<const PickleValue> items) {
  if (items.size() > kMostDimensions) refuse("has a tensor of too many dimensions");
  std::vector<int64_t> sizes;
  for (const PickleValue& item : items) {
    if (item.kind != Kind::kNumber || item.number < 0)
      refuse("has a tensor of an impossible shape");
    sizes.push_back(item.number);
  }
  return sizes;
}

bool is_of_checkpoints(std::string_view module, std::string_view name) {
  return std::ranges::any_of(kOfCheckpoints, [&](const ForeignClass& allowed) {
    if (!allowed.name.empty()) return module == allowed.package && name == allowed.name;
    return module.starts_with(allowed.package) &&
           (module.size() == allowed.package.size() || module[allowed.package.size()] == '.');
  });
}

/// Whether the tensor's last element lies within its storage. Rejects expanded tensors, whose copy
/// could need any amount of memory.
bool fits(const PickledTensor& tensor, int64_t elements) {
  int64_t count = 1, last = tensor.offset;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    int64_t step = 0;
    const int64_t size = tensor.shape[i];
    if (__builtin_mul_overflow(count, size, &count)) return false;
    if (size > 0 && (__builtin_mul_overflow(size - 1, tensor.strides[i], &step) ||
                     __builtin_add_overflow(last, step, &last)))
      return false;
  }
  return count == 0 || (count <= elements && last < elements);
}

}  // namespace

PickleValue pickled_class(std::string_view module, std::string_view name, ForeignClasses foreign) {
  const auto* found = std::ranges::find_if(kClasses, [&](const KnownClass& known) {
    return known.module == module && known.name == name;
  });
  if (found != std::end(kClasses)) return {Kind::kClass, found - std::begin(kClasses)};
  if (foreign == ForeignClasses::kAll) return {Kind::kForeign};
  if (foreign == ForeignClasses::kCheckpoints && is_of_checkpoints(module, name))
    return {Kind::kForeign};
  const std::string full = printable(module) + "." + printable(name);
  if (module == "torch" && name.ends_with("Storage"))
    refuse("has a tensor of " + full + ", a type that dietmt does not read");
  refuse("holds the class " + full + ": only tensors are read");
}

PickleValue PickledTensors::storage(std::span<const PickleValue> id,
                                    std::span<const PickleValue> view) {
  if (id.size() < 5 || id[0].kind != Kind::kText || id[0].text != "storage" ||
      id[1].kind != Kind::kClass || id[2].kind != Kind::kText || id[4].kind != Kind::kNumber ||
      id[4].number < 0)
    refuse("is damaged: a persistent id is not that of a storage");
  const KnownClass& type = class_of(id[1]);
  if (type.role != Role::kStorage) refuse("is damaged: a storage has the wrong class");
  const std::string_view key = id[2].text;
  const auto [known, added] =
      storages_.try_emplace(key, PickledStorage{type.dtype, type.element_bytes, id[4].number});
  if (!added && (known->second.dtype != type.dtype || known->second.elements != id[4].number))
    refuse("is damaged: storage " + printable(key) + " has two types or sizes");
  Part part{key, 0, id[4].number};
  if (!view.empty()) {  // (key of the view, offset, elements), before PyTorch 0.4
    if (view.size() != 3 || view[1].kind != Kind::kNumber || view[2].kind != Kind::kNumber ||
        view[1].number < 0 || view[2].number < 0 || view[1].number > part.elements ||
        view[2].number > part.elements - view[1].number)
      refuse("is damaged: a view leaves storage " + printable(key));
    part.offset = view[1].number;
    part.elements = view[2].number;
  }
  parts_.push_back(part);
  return {Kind::kStorage, std::ssize(parts_) - 1};
}

bool PickledTensors::makes_dict(const PickleValue& called) {
  return class_of(called).role == Role::kDict;
}

PickleValue PickledTensors::tensor(const PickleValue& called,
                                   std::span<const PickleValue> arguments,
                                   std::span<const PickleValue> shape,
                                   std::span<const PickleValue> strides) {
  const Role role = class_of(called).role;
  if (role == Role::kParameter && !arguments.empty() && arguments[0].kind == Kind::kTensor)
    return arguments[0];
  if (role != Role::kTensor || arguments.size() < 4 || arguments[0].kind != Kind::kStorage ||
      arguments[1].kind != Kind::kNumber || arguments[1].number < 0)
    refuse("is damaged: a tensor is made from something other than a storage");
  const Part& part = parts_[static_cast<size_t>(arguments[0].number)];
  PickledTensor made{part.key, arguments[1].number, sizes_in(shape), sizes_in(strides)};
  if (made.shape.size() != made.strides.size() || !fits(made, part.elements))
    refuse("has a tensor that does not lie in its storage " + printable(part.key));
  if (__builtin_add_overflow(made.offset, part.offset, &made.offset))
    refuse("has a tensor that does not lie in its storage " + printable(part.key));
  tensors_.push_back(std::move(made));
  return {Kind::kTensor, std::ssize(tensors_) - 1};
}

const PickledTensor& PickledTensors::at(const PickleValue& tensor) const {
  return tensors_.at(static_cast<size_t>(tensor.number));
}

std::string printable(std::string_view text) {
  constexpr size_t kShown = 80;
  std::string shown(text.substr(0, kShown));
  std::ranges::replace_if(
      shown, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return text.size() > kShown ? shown + "..." : shown;
}

}  // namespace dietmt::interchange
