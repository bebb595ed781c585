// Initial weights that depend on a seed only.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dietmt::encoders {

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

}  // namespace dietmt::encoders
