// Packs full weights, given as named tensors, for the engine.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "nmt/engine/aligned_buffer.h"
#include "nmt/engine/stored_weights.h"

namespace dietmt::nmt {

using NamedTensors = std::map<std::string, at::Tensor>;

class PackingWeights : public NamedWeights {
 public:
  /// `origin`: the file that errors name.
  PackingWeights(NamedTensors tensors, std::string origin, kernels::WeightType type);

  kernels::PackedWeights matrix(const WeightRows& rows) override;
  const float* numbers(const std::string& parameter, int64_t count) override;
  std::shared_ptr<const void> storage() const override { return packed_; }

  /// All weights packed so far, under the names by which StoredWeights reads them. They live as
  /// long as storage().
  NamedTensors stored() const;

 private:
  struct Packed {
    std::map<std::string, kernels::PackedWeights> matrices;
    NamedTensors numbers;
    std::vector<MemoryBlock> memory;
  };
  const at::Tensor& read(const std::string& name, at::IntArrayRef shape);
  template <typename T>
  T* allocate(int64_t count);

  NamedTensors tensors_;
  kernels::WeightType type_;
  std::shared_ptr<Packed> packed_;
};

}  // namespace dietmt::nmt
