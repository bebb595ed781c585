// What holds while an object lives: mixed precision (LibTorch's autocast), seeded initial weights.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdint>

namespace dietmt::encoders {

/// Matrix products in bfloat16 while in scope, if `enabled`.
class Autocast {
 public:
  Autocast(c10::DeviceType device, bool enabled);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
  bool enabled_;
};

/// No such products while in scope: in bfloat16, tables of a few numbers per head lose accuracy and
/// save nothing.
class WithoutAutocast {
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
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

}  // namespace dietmt::encoders
