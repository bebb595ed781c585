#include "nmt/engine/stored_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

using kernels::PackedWeights;
using kernels::WeightType;

constexpr size_t kPanelAlignment = 64;  // bytes

}  // namespace

kernels::WeightType parse_weight_type(const std::string& name) {
  if (name == "fp32") return kernels::WeightType::kFloat;
  if (name == "bf16") return kernels::WeightType::kBFloat16;
  if (name == "int8") return kernels::WeightType::kInt8;
  throw ConfigError("unknown weight type '" + name + "'; possible: fp32, bf16, int8");
}

std::optional<kernels::WeightType> parse_weight_choice(const std::string& name) {
  if (name == "auto") return std::nullopt;
  if (name == "fp16") throw ConfigError("--weights fp16 needs a GPU: --device cuda");
  return parse_weight_type(name);
}

kernels::WeightType stored_type(const ModelFiles& files,
                                std::optional<kernels::WeightType> wanted) {
  const auto type = [&] {
    try {
      return parse_weight_type(files.quantization);
    } catch (const ConfigError& error) {
      throw CheckpointError((files.directory / "config.json").string() + ": " + error.what());
    }
  }();
  if (wanted && *wanted != type) {
    throw ConfigError("--weights: " + files.directory.string() + " holds only " +
                      files.quantization + " weights");
  }
  return type;
}

void NamedWeights::take(const std::string& name, std::span<const int64_t> shape,
                        std::span<const int64_t> wanted) {
  if (!std::ranges::equal(shape, wanted)) {
    fail(name, "has shape " + storage::shape_text(shape) + ", the model's is " +
                   storage::shape_text(wanted));
  }
  read_.insert(name);
}

void NamedWeights::fail(const std::string& name, const std::string& what) const {
  throw CheckpointError(origin_ + ": tensor '" + name + "' " + what);
}

std::string stored_name(const WeightRows& rows) {
  if (rows.first == 0) return rows.parameter;
  return rows.parameter + "[" + std::to_string(rows.first) + ":]";
}
std::string scales_name(const std::string& matrix) { return matrix + ".scales"; }
std::string sums_name(const std::string& matrix) { return matrix + ".sums"; }
std::string row_scales_name(const std::string& matrix) { return matrix + ".row_scales"; }
std::string multiplier_name(const std::string& matrix) { return matrix + ".input_multiplier"; }

const char* stored_dtype(WeightType type) {
  if (type == WeightType::kInt8) return "I8";
  return type == WeightType::kBFloat16 ? "BF16" : "F32";
}

std::vector<int64_t> panel_shape(WeightType type, int64_t outputs, int64_t inputs) {
  const int64_t group = type == WeightType::kInt8 ? 4 : type == WeightType::kBFloat16 ? 2 : 1;
  return {(outputs + kernels::kPanelOutputs - 1) / kernels::kPanelOutputs,
          (inputs + group - 1) / group, kernels::kPanelOutputs, group};
}

void append_stored(const std::string& name, const PackedWeights& matrix,
                   std::vector<storage::TensorSource>& tensors) {
  const auto append = [&](const std::string& part, const char* dtype, std::vector<int64_t> shape,
                          const void* data, size_t bytes) {
    tensors.push_back(storage::tensor_in_memory(part, dtype, std::move(shape), data, bytes));
  };
  append(name, stored_dtype(matrix.type), panel_shape(matrix.type, matrix.outputs, matrix.inputs),
         matrix.panels, kernels::packed_bytes(matrix.type, matrix.outputs, matrix.inputs));
  if (matrix.type != WeightType::kInt8) return;
  const auto bytes = static_cast<size_t>(matrix.outputs) * sizeof(float);
  append(scales_name(name), "F32", {matrix.outputs}, matrix.scales, bytes);
  append(sums_name(name), "I32", {matrix.outputs}, matrix.sums, bytes);
  if (matrix.input_multiplier > 0.0F)
    append(multiplier_name(name), "F32", {1}, &matrix.input_multiplier, sizeof(float));
  if (matrix.row_scales != nullptr)
    append(row_scales_name(name), "F32", {matrix.outputs}, matrix.row_scales, bytes);
}

StoredWeights::StoredWeights(storage::SafetensorsFile file, std::string origin, WeightType type)
    : NamedWeights(std::move(origin)), file_(std::move(file)), type_(type) {}

const void* StoredWeights::read(const std::string& name, std::span<const int64_t> shape,
                                const char* dtype, size_t alignment) {
  const auto found = file_.tensors.find(name);
  if (found == file_.tensors.end()) fail(name, "is missing");
  take(name, found->second.shape, shape);
  if (found->second.dtype != dtype) {
    fail(name, "has type " + found->second.dtype + "; the weights need " + dtype);
  }
  if (reinterpret_cast<uintptr_t>(found->second.data) % alignment != 0) {
    fail(name, "does not start at a multiple of " + std::to_string(alignment) +
                   " bytes; write the model again with 'dietmt quantize'");
  }
  return found->second.data;
}

PackedWeights StoredWeights::matrix(const WeightRows& rows) {
  const std::string name = stored_name(rows);
  PackedWeights made{type_, rows.outputs, rows.inputs};
  made.panels = read(name, panel_shape(type_, rows.outputs, rows.inputs), stored_dtype(type_),
                     kPanelAlignment);
  if (type_ != WeightType::kInt8) return made;
  const std::array outputs{rows.outputs};
  made.scales = static_cast<const float*>(read(scales_name(name), outputs, "F32", alignof(float)));
  made.sums = static_cast<const int32_t*>(read(sums_name(name), outputs, "I32", alignof(int32_t)));
  if (const std::string multiplier = multiplier_name(name); file_.tensors.contains(multiplier)) {
    made.input_multiplier = *numbers(multiplier, 1);
    if (!(made.input_multiplier > 0.0F) || !std::isfinite(made.input_multiplier))
      fail(multiplier, "is not a positive number");
  }
  if (file_.tensors.contains(row_scales_name(name)))
    made.row_scales = numbers(row_scales_name(name), rows.outputs);
  return made;
}

const float* StoredWeights::numbers(const std::string& parameter, int64_t count) {
  return static_cast<const float*>(read(parameter, std::array{count}, "F32", alignof(float)));
}

}  // namespace dietmt::nmt
