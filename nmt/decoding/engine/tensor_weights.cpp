#include "nmt/decoding/engine/tensor_weights.h"

#include <torch/torch.h>

#include "common/error.h"
#include "training/parameters.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using kernels::PackedWeights;
using kernels::WeightType;

constexpr uintptr_t kAlignment = 64;

// Panels by their parameter, and of the later rows of one by where they start.
std::string stored_name(const WeightRows& rows) {
  if (rows.first == 0) return rows.parameter;
  return rows.parameter + "[" + std::to_string(rows.first) + ":]";
}
std::string scales_name(const std::string& matrix) { return matrix + ".scales"; }
std::string sums_name(const std::string& matrix) { return matrix + ".sums"; }

at::ScalarType scalar_type(WeightType type) {
  if (type == WeightType::kInt8) return at::kChar;
  return type == WeightType::kBFloat16 ? at::kBFloat16 : at::kFloat;
}

// [panels, groups, outputs of a panel, inputs of a group]: kernels/packed_linear.h.
std::vector<int64_t> panel_shape(WeightType type, int64_t outputs, int64_t inputs) {
  const int64_t group = 4 / static_cast<int64_t>(at::elementSize(scalar_type(type)));
  return {(outputs + kernels::kPanelOutputs - 1) / kernels::kPanelOutputs,
          (inputs + group - 1) / group, kernels::kPanelOutputs, group};
}

Tensor view_of(const void* data, at::IntArrayRef shape, at::ScalarType type) {
  return at::from_blob(const_cast<void*>(data), shape, at::TensorOptions().dtype(type));
}

}  // namespace

TensorWeights::TensorWeights(NamedTensors tensors, std::string origin)
    : tensors_(std::move(tensors)), origin_(std::move(origin)) {}

NamedTensors TensorWeights::unread() const {
  NamedTensors rest = tensors_;
  for (const std::string& name : read_) rest.erase(name);
  return rest;
}

void TensorWeights::fail(const std::string& name, const std::string& what) const {
  throw CheckpointError(origin_ + ": tensor '" + name + "' " + what);
}

const Tensor& TensorWeights::read(const std::string& name, at::IntArrayRef shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail(name, "is missing");
  if (found->second.sizes() != shape) {
    fail(name, "has shape " + training::shape_text(found->second.sizes()) + ", the model's is " +
                   training::shape_text(shape));
  }
  read_.insert(name);
  return found->second;
}

PackingWeights::PackingWeights(NamedTensors tensors, std::string origin, WeightType type)
    : TensorWeights(std::move(tensors), std::move(origin)),
      type_(type),
      packed_(std::make_shared<Packed>()) {}

template <typename T>
T* PackingWeights::allocate(int64_t count) {
  MemoryBlock& block = packed_->memory.emplace_back();
  block.resize(static_cast<size_t>(count) * sizeof(T));
  return static_cast<T*>(block.data());
}

PackedWeights PackingWeights::matrix(const WeightRows& rows) {
  const auto [place, added] = packed_->matrices.try_emplace(stored_name(rows));
  PackedWeights& made = place->second;
  if (!added) return made;
  const Tensor weight = read(rows.parameter, {rows.rows, rows.inputs})
                            .narrow(0, rows.first, rows.outputs)
                            .to(at::kFloat)
                            .contiguous();
  auto* panels = allocate<uint8_t>(
      static_cast<int64_t>(kernels::packed_bytes(type_, rows.outputs, rows.inputs)));
  const bool integers = type_ == WeightType::kInt8;
  float* scales = integers ? allocate<float>(rows.outputs) : nullptr;
  int32_t* sums = integers ? allocate<int32_t>(rows.outputs) : nullptr;
  kernels::pack_weights(type_, rows.outputs, rows.inputs, weight.const_data_ptr<float>(),
                        rows.inputs, panels, scales, sums);
  made = {type_, rows.outputs, rows.inputs, panels, scales, sums};
  return made;
}

const float* PackingWeights::numbers(const std::string& parameter, int64_t count) {
  Tensor& kept = packed_->numbers[parameter];
  // A copy, so that a large mapped file is not kept for the sake of its small tensors.
  if (!kept.defined()) kept = read(parameter, {count}).to(at::kFloat).clone();
  return kept.const_data_ptr<float>();
}

NamedTensors PackingWeights::stored() const {
  NamedTensors all = packed_->numbers;
  for (const auto& [name, matrix] : packed_->matrices) {
    all[name] = view_of(matrix.panels, panel_shape(type_, matrix.outputs, matrix.inputs),
                        scalar_type(type_));
    if (type_ != WeightType::kInt8) continue;
    all[scales_name(name)] = view_of(matrix.scales, {matrix.outputs}, at::kFloat);
    all[sums_name(name)] = view_of(matrix.sums, {matrix.outputs}, at::kInt);
  }
  return all;
}

StoredWeights::StoredWeights(NamedTensors tensors, std::string origin, WeightType type)
    : TensorWeights(std::move(tensors), std::move(origin)),
      type_(type),
      kept_(std::make_shared<std::vector<Tensor>>()) {}

PackedWeights StoredWeights::matrix(const WeightRows& rows) {
  const std::string name = stored_name(rows);
  const auto typed = [&](const std::string& part, at::IntArrayRef shape, at::ScalarType type) {
    const Tensor& tensor = read(part, shape);
    if (tensor.scalar_type() != type) fail(part, "has another type than the weights");
    kept_->push_back(tensor);
    return tensor.const_data_ptr();
  };
  PackedWeights made{type_, rows.outputs, rows.inputs};
  made.panels = typed(name, panel_shape(type_, rows.outputs, rows.inputs), scalar_type(type_));
  if (reinterpret_cast<uintptr_t>(made.panels) % kAlignment != 0)
    fail(name, "does not start at a multiple of 64 bytes, as 'dietmt quantize' has it");
  if (type_ != WeightType::kInt8) return made;
  made.scales = static_cast<const float*>(typed(scales_name(name), {rows.outputs}, at::kFloat));
  made.sums = static_cast<const int32_t*>(typed(sums_name(name), {rows.outputs}, at::kInt));
  return made;
}

const float* StoredWeights::numbers(const std::string& parameter, int64_t count) {
  const Tensor& tensor = read(parameter, {count});
  if (tensor.scalar_type() != at::kFloat) fail(parameter, "is not of fp32 numbers");
  kept_->push_back(tensor);
  return tensor.const_data_ptr<float>();
}

}  // namespace dietmt::nmt
