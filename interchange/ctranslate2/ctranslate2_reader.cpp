#include "interchange/ctranslate2/ctranslate2_reader.h"

#include <ATen/ATen.h>

#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "common/error.h"

namespace dietmt::interchange {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

using at::Tensor;

constexpr uint32_t kNewestVersion = 6;
constexpr at::ScalarType kTypes[] = {at::kFloat, at::kChar, at::kShort,
                                     at::kInt,   at::kHalf, at::kBFloat16};

// Before version 4, a variable has the size of its numbers in place of their type.
std::optional<at::ScalarType> type_of_size(uint8_t size) {
  if (size == 1) return at::kChar;
  if (size == 2) return at::kShort;
  return size == 4 ? std::optional(at::kFloat) : std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  CTranslate2Model read() {
    CTranslate2Model model;
    model.version = number<uint32_t>();
    if (model.version < 1 || model.version > kNewestVersion)
      throw CheckpointError("is not a model of CTranslate2, or of a version (" +
                            std::to_string(model.version) + ") that this program does not know");
    model.kind = model.version >= 2 ? text() : "";
    model.revision = model.version >= 2 ? number<uint32_t>() : 1;
    for (auto count = number<uint32_t>(); count > 0; --count) {
      std::string name = text();
      model.variables[name] = variable(name, model.version);
    }
    if (model.version >= 3) read_aliases(model);
    if (!left_.empty())
      throw CheckpointError("has " + std::to_string(left_.size()) + " bytes after its end");
    return model;
  }

 private:
  std::string_view take(size_t size) {
    if (size > left_.size()) throw CheckpointError("is cut off");
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string text() {
    std::string with_zero(take(number<uint16_t>()));
    if (with_zero.empty() || with_zero.find('\0') != with_zero.size() - 1)
      throw CheckpointError("is damaged: a name is not ended by a zero byte");
    with_zero.pop_back();
    return with_zero;
  }

  std::optional<at::ScalarType> type(uint8_t number, uint32_t version) const {
    if (version < 4) return type_of_size(number);
    return number < std::size(kTypes) ? std::optional(kTypes[number]) : std::nullopt;
  }

  Tensor variable(const std::string& name, uint32_t version) {
    constexpr uint8_t kMostDimensions = 8;
    const auto dimensions = number<uint8_t>();
    if (dimensions > kMostDimensions)
      throw CheckpointError("variable " + name + " has " + std::to_string(dimensions) +
                            " dimensions");
    std::vector<int64_t> shape(dimensions);
    for (int64_t& size : shape) size = number<uint32_t>();
    const auto type_number = number<uint8_t>();
    const std::optional<at::ScalarType> found = type(type_number, version);
    if (!found)
      throw CheckpointError("variable " + name + " has the unknown type " +
                            std::to_string(type_number));
    const uint64_t each = at::elementSize(*found);
    const uint64_t count = number<uint32_t>();
    const std::string_view bytes = take(version < 4 ? count * each : count);
    uint64_t numbers = 1;
    for (const int64_t size : shape)
      if (__builtin_mul_overflow(numbers, static_cast<uint64_t>(size), &numbers))
        numbers = UINT64_MAX;
    if (numbers > bytes.size() || numbers * each != bytes.size())
      throw CheckpointError("variable " + name + " has " + std::to_string(bytes.size()) +
                            " bytes, which is not the size of its shape");
    Tensor tensor = at::empty(shape, at::TensorOptions().dtype(*found));
    std::memcpy(tensor.mutable_data_ptr(), bytes.data(), bytes.size());
    return tensor;
  }

  void read_aliases(CTranslate2Model& model) {
    for (auto count = number<uint32_t>(); count > 0; --count) {
      const std::string name = text(), original = text();
      const auto found = model.variables.find(original);
      if (found == model.variables.end())
        throw CheckpointError("names " + name + " after " + original + ", which it lacks");
      model.variables[name] = found->second;
    }
  }

  std::string_view left_;
};

constexpr const char* kScale = "_scale";

Tensor with_scale(const CTranslate2Model& model, const std::string& name, const Tensor& integers) {
  const auto scale = model.variables.find(name + kScale);
  if (scale == model.variables.end())
    throw CheckpointError("has integers in " + name + ", but no " + name + kScale);
  if (model.variables.contains(name + "_zero"))
    throw CheckpointError("has the packed 4-bit weights " + name + ", which cannot be imported");
  const Tensor scales = scale->second.to(at::kFloat);
  const bool by_row =
      scales.dim() == 1 && integers.dim() == 2 && scales.size(0) == integers.size(0);
  if (scales.numel() != 1 && !by_row)
    throw CheckpointError(name + kScale + " has another size than the rows of " + name);
  if (!scales.isfinite().all().item<bool>() || (scales <= 0).any().item<bool>())
    throw CheckpointError(name + kScale + " holds numbers that are not positive");
  return integers.to(at::kFloat) / (by_row ? scales.unsqueeze(1) : scales.reshape({}));
}

}  // namespace

double CTranslate2Model::number(const std::string& name, double otherwise) const {
  const auto found = variables.find(name);
  if (found == variables.end()) return otherwise;
  if (found->second.numel() != 1)
    throw CheckpointError(name + " holds " + std::to_string(found->second.numel()) +
                          " numbers in place of one");
  return found->second.to(at::kDouble).item<double>();
}

CTranslate2Model read_ctranslate2(std::string_view bytes) { return Reader(bytes).read(); }

TensorsByName dequantized(const CTranslate2Model& model) {
  std::map<const void*, Tensor> done;  // by address, so that tensors with two names stay one
  TensorsByName tensors;
  for (const auto& [name, tensor] : model.variables) {
    if (tensor.dim() == 0 || name.ends_with(kScale)) continue;
    Tensor& made = done[tensor.const_data_ptr()];
    if (!made.defined())
      made = tensor.is_floating_point() ? tensor.to(at::kFloat) : with_scale(model, name, tensor);
    tensors[name] = made;
  }
  return tensors;
}

}  // namespace dietmt::interchange
