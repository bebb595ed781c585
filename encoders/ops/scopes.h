// What holds while an object lives: mixed precision, seeded initial weights, the smallest numbers.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "encoders/ops/weight_copies.h"

namespace dietmt::encoders {

/// Everything between the embeddings and the loss is bfloat16 while in scope, if `enabled`
/// (weight_copies.h). `copies` of the model's weights, which are refreshed here, spare the layers a
/// conversion of each weight.
class MixedPrecision {
 public:
  explicit MixedPrecision(bool enabled, WeightCopies* copies = nullptr);

 private:
  std::optional<PassPrecisionScope> scope_;
};

/// While it lives, modules draw their initial weights on the CPU from `seed`. Then LibTorch's
/// default generator continues where it was, so building or loading a model does not change other
/// draws. No other thread may draw from the default generator meanwhile.
class SeededDraws {
 public:
  explicit SeededDraws(uint64_t seed);
  ~SeededDraws();
  SeededDraws(const SeededDraws&) = delete;
  SeededDraws& operator=(const SeededDraws&) = delete;

 private:
  at::Generator generator_;
  at::Tensor state_;
};

/// While it lives, numbers below the smallest normal one are zeros, on this thread and on those of
/// its parallel loops. Gradients of small probabilities are such numbers, and so are Adam's moments
/// of words that were not seen for long; processors are many times slower with them.
class SubnormalsAsZeros {
 public:
  SubnormalsAsZeros();
  ~SubnormalsAsZeros();
  SubnormalsAsZeros(const SubnormalsAsZeros&) = delete;
  SubnormalsAsZeros& operator=(const SubnormalsAsZeros&) = delete;

 private:
  bool before_;  // whether they were zeros already
};

}  // namespace dietmt::encoders
