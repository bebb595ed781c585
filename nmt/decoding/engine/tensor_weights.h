// Weights for the engine from tensors by name: full ones, packed now, or packed ones, as they lie
// in a quantized model's file.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "nmt/decoding/engine/memory_block.h"
#include "nmt/decoding/engine/weight_source.h"

namespace dietmt::nmt {

using NamedTensors = std::map<std::string, at::Tensor>;

/// What both have in common: finding tensors, and telling what nobody asked for.
class TensorWeights : public WeightSource {
 public:
  /// `origin`: what errors name, a file.
  TensorWeights(NamedTensors tensors, std::string origin);

  /// The tensors that nobody has asked for: a model's are those of its position encodings.
  NamedTensors unread() const;

 protected:
  /// Throws CheckpointError naming the file and the tensor if it is missing or has another shape.
  const at::Tensor& read(const std::string& name, at::IntArrayRef shape);
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

 private:
  NamedTensors tensors_;
  std::set<std::string> read_;
  std::string origin_;
};

/// Packs full weights.
class PackingWeights : public TensorWeights {
 public:
  PackingWeights(NamedTensors tensors, std::string origin, kernels::WeightType type);

  kernels::PackedWeights matrix(const WeightRows& rows) override;
  const float* numbers(const std::string& parameter, int64_t count) override;
  std::shared_ptr<const void> storage() const override { return packed_; }

  /// All given so far, under the names that StoredWeights reads them by. They live as long as
  /// storage().
  NamedTensors stored() const;

 private:
  struct Packed {
    std::map<std::string, kernels::PackedWeights> matrices;
    NamedTensors numbers;
    std::vector<MemoryBlock> memory;
  };
  template <typename T>
  T* allocate(int64_t count);

  kernels::WeightType type_;
  std::shared_ptr<Packed> packed_;
};

/// Hands out what is packed already, without copying it.
class StoredWeights : public TensorWeights {
 public:
  StoredWeights(NamedTensors tensors, std::string origin, kernels::WeightType type);

  kernels::PackedWeights matrix(const WeightRows& rows) override;
  const float* numbers(const std::string& parameter, int64_t count) override;
  std::shared_ptr<const void> storage() const override { return kept_; }

 private:
  kernels::WeightType type_;
  std::shared_ptr<std::vector<at::Tensor>> kept_;
};

}  // namespace dietmt::nmt
