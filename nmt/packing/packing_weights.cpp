#include "nmt/packing/packing_weights.h"

#include <ATen/ATen.h>

namespace dietmt::nmt {
namespace {

using at::Tensor;
using kernels::PackedWeights;
using kernels::WeightType;

at::ScalarType scalar_type(WeightType type) {
  if (type == WeightType::kInt8) return at::kChar;
  return type == WeightType::kBFloat16 ? at::kBFloat16 : at::kFloat;
}

Tensor view_of(const void* data, at::IntArrayRef shape, at::ScalarType type) {
  return at::from_blob(const_cast<void*>(data), shape, at::TensorOptions().dtype(type));
}

}  // namespace

PackingWeights::PackingWeights(NamedTensors tensors, std::string origin, WeightType type)
    : NamedWeights(std::move(origin)),
      tensors_(std::move(tensors)),
      type_(type),
      packed_(std::make_shared<Packed>()) {}

const Tensor& PackingWeights::read(const std::string& name, at::IntArrayRef shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail(name, "is missing");
  take(name, found->second.sizes(), shape);
  return found->second;
}

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
  // A copy, so that small tensors do not keep a large file mapped.
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

}  // namespace dietmt::nmt
