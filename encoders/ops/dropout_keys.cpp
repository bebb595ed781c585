#include "encoders/ops/dropout_keys.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>

#include "common/error.h"
#include "encoders/device/device.h"

namespace dietmt::encoders {

PassKey::PassKey(uint64_t key)
    : on_host_(at::scalar_tensor(static_cast<int64_t>(key), at::kLong)) {}

PassKey::PassKey(at::Tensor on_device) : on_device_(std::move(on_device)) {
  if (on_device_.is_cpu() || on_device_.dim() != 0 || on_device_.scalar_type() != at::kLong)
    throw Error("a dropout key in a tensor must be a 0-dim int64 on a device");
}

uint64_t PassKey::on_host() const {
  if (!on_host_.defined())
    throw Error("the dropout key of this pass is only in memory of " + on_device_.device().str() +
                ": dropping layers, and passes elsewhere, need a key of the host");
  return static_cast<uint64_t>(*on_host_.const_data_ptr<int64_t>());
}

const at::Tensor& PassKey::on_device(c10::Device device) {
  if (on_device_.defined() && on_device_.device() == device) return on_device_;
  on_host();  // throws if the key is not there
  if (device.is_cpu()) return on_host_;
  return on_device_ = copy_to_device(on_host_, device);
}

kernels::DropoutCall dropout_call(double p, const at::Tensor& pass_key, uint64_t number) {
  if (!pass_key.defined()) return {};
  return {p, {reinterpret_cast<const uint64_t*>(pass_key.const_data_ptr<int64_t>()), number}};
}

}  // namespace dietmt::encoders
