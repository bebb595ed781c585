// Which elements dropout drops. training/loop/trainer.cpp makes the key of a forward pass from the
// run's seed and the number of the update, so a resumed run drops the same elements.
//
// On a device the key is a number in its memory, which each kernel reads when it runs. So a
// recorded pass (encoders/device/device_graphs.h) drops other elements once the number has changed:
//
//   const at::Tensor place = ..;                      // [] int64 on the device
//   graphs->record([&] {
//     DropoutKeys keys(place);
//     model.forward(x, &keys).backward(..);
//   });
//   place.copy_(keys_of_this_pass.on_device(device)); // before each replay
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "common/random.h"
#include "kernels/row_calls.h"

namespace dietmt::encoders {

/// The key of a forward pass, on the host or in memory of a device.
class PassKey {
 public:
  explicit PassKey(uint64_t key);

  /// [] int64 on a device: the bits of the key. Throws Error for other tensors.
  explicit PassKey(at::Tensor on_device);

  /// Throws Error if the key is only on a device.
  uint64_t on_host() const;

  /// [] int64. The first call for a device enqueues an asynchronous copy of the key on the host,
  /// which a graph cannot record. Throws Error if the key is only on another device.
  const at::Tensor& on_device(c10::Device device);

  /// Undefined as long as the key is only on the host.
  const at::Tensor& place() const { return on_device_; }

 private:
  at::Tensor on_host_;    // undefined: only on a device
  at::Tensor on_device_;  // undefined: only on the host
};

/// One place of a forward pass where dropout applies, with probability p. Element i is dropped by
/// random_key(key of the pass, number) and kernels/dropout.h. p = 0: none.
struct DropoutSite {
  double p = 0.0;
  std::shared_ptr<PassKey> pass = {};  // null only without dropout
  uint64_t number = 0;

  /// The key of the site. Throws Error if the pass has its key only on a device.
  uint64_t key() const { return p > 0.0 ? random_key(pass->on_host(), number) : 0; }

  /// The key of the pass, for kernels; undefined if nothing is dropped.
  at::Tensor pass_key(c10::Device device) const {
    return p > 0.0 ? pass->on_device(device) : at::Tensor();
  }
};

/// A site as kernels take it: they read pass_key when they run. Undefined: no dropout.
kernels::DropoutCall dropout_call(double p, const at::Tensor& pass_key, uint64_t number);

/// Numbers the dropout sites of a forward pass in call order. A pass with the same seed key drops
/// the same elements. Functions that take a `DropoutKeys*` treat nullptr as "no dropout"
/// (evaluation).
class DropoutKeys {
 public:
  explicit DropoutKeys(uint64_t pass_key) : pass_(std::make_shared<PassKey>(pass_key)) {}

  /// [] int64 on a device, which must stay as it is until the backward pass has run. Only for
  /// passes on that device, and not for those that drop layers, which the host decides.
  explicit DropoutKeys(at::Tensor pass_key)
      : pass_(std::make_shared<PassKey>(std::move(pass_key))) {}

  DropoutSite next(double p) { return {p, pass_, site_++}; }

  /// The key of the pass in memory of a device, as PassKey gives it.
  const at::Tensor& on_device(c10::Device device) const { return pass_->on_device(device); }

  /// Where a device has the key; undefined as long as none has.
  const at::Tensor& place() const { return pass_->place(); }

 private:
  std::shared_ptr<PassKey> pass_;
  uint64_t site_ = 0;
};

}  // namespace dietmt::encoders
