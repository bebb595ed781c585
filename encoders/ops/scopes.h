// What holds while an object lives: mixed precision (LibTorch's autocast), seeded initial weights.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdint>
#include <optional>

#include "encoders/ops/weight_copies.h"

namespace dietmt::encoders {

/// Matrix products in bfloat16 while in scope, if `enabled`: by LibTorch's autocast on the CPU; on
/// a device everything between the embeddings and the loss is bfloat16 then (weight_copies.h).
/// `copies` of the model's weights, which are refreshed here, spare a device a conversion of each
/// weight.
class Autocast {
 public:
  Autocast(c10::DeviceType device, bool enabled, WeightCopies* copies = nullptr);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_cpu_;
  std::optional<DevicePrecisionScope> device_precision_;
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
