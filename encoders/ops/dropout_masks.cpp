// Masks of dropout: by kernels, or as tensor algebra for devices and types without them.
#include <ATen/ATen.h>

#include "encoders/ops/fused_ops.h"
#include "encoders/ops/row_kernels.h"
#include "kernels/dropout.h"
#include "kernels/rowwise.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

// The bits of an int64, moved to the right and followed by zeros on the left.
Tensor right(const Tensor& x, int64_t bits) {
  return at::bitwise_right_shift(x, bits).bitwise_and((int64_t{1} << (64 - bits)) - 1);
}

// random_key() of common/random.h as tensor algebra in int64, whose products keep the low bits.
Tensor random_key_by_tensor_algebra(const Tensor& seed, uint64_t stream) {
  const auto mix64 = [](const Tensor& given) {
    const auto factor = [](uint64_t bits) { return static_cast<int64_t>(bits); };
    Tensor x = given + factor(0x9e3779b97f4a7c15);
    x = x.bitwise_xor(right(x, 30)) * factor(0xbf58476d1ce4e5b9);
    x = x.bitwise_xor(right(x, 27)) * factor(0x94d049bb133111eb);
    return x.bitwise_xor(right(x, 31));
  };
  return mix64(mix64(seed).bitwise_xor(static_cast<int64_t>(stream)));
}

// [] int64 on the device of `like`, which the host does not read.
Tensor site_key(const Tensor& like, const DropoutSite& site) {
  if (like.is_cpu()) return at::scalar_tensor(static_cast<int64_t>(site.key()), at::kLong);
  return random_key_by_tensor_algebra(site.pass_key(like.device()), site.number);
}

// dropout_bits and dropout_bits_at of kernels/dropout.h as tensor algebra in int64, for devices
// without kernels.
constexpr int64_t kLow = 0xffffffff;

// A 32-bit product in 64-bit integers: the halves of the factor keep it from overflowing.
Tensor times(const Tensor& x, int64_t factor) {
  const Tensor upper = (x * (factor >> 16)).bitwise_and(0xffff) * 65536;
  return (x * (factor & 0xffff) + upper).bitwise_and(kLow);
}

Tensor mix(const Tensor& x) {
  const Tensor y = times(x.bitwise_xor(right(x, 16)), 0x85ebca6b);
  return times(y.bitwise_xor(right(y, 13)), 0xc2b2ae35);
}

Tensor bits_by_tensor_algebra(const Tensor& index, const Tensor& key) {
  const Tensor low = key.bitwise_and(kLow), high = right(key, 32);
  const Tensor x = mix(mix(index.bitwise_xor(low)).bitwise_xor(high));
  return x.bitwise_xor(right(x, 16));
}

Tensor indices(int64_t count, const Tensor& like) {
  return at::arange(count, like.options().dtype(at::kLong).requires_grad(false));
}

// 1 / (1 - p) where the bits say so, else 0; in the dtype of `like`.
Tensor factors_of(const Tensor& bits, const Tensor& like, double p) {
  return (bits >= static_cast<int64_t>(kernels::dropout_threshold(p)))
      .to(like.scalar_type())
      .mul_(1.0 / (1.0 - p));
}

Tensor mask_by_tensor_algebra(const Tensor& like, const DropoutSite& site) {
  const Tensor bits = bits_by_tensor_algebra(indices(like.numel(), like), site_key(like, site));
  return factors_of(bits, like, site.p).view(like.sizes());
}

}  // namespace

Tensor dropout_mask_like(const Tensor& like, const DropoutSite& site) {
  const kernels::DeviceKernels* const kernels = row_kernels(like);
  if (!like.is_cpu() && kernels != nullptr && kernels->activate != nullptr)
    return dropout(at::ones(like.sizes(), like.options().requires_grad(false)), site);
  if (!like.is_cpu() || like.scalar_type() == at::kDouble)
    return mask_by_tensor_algebra(like, site);
  Tensor mask = at::empty(like.sizes(), like.options().dtype(at::kFloat));
  kernels::row_kernels().dropout_mask(site.key(), site.p, mask.numel(), mask.data_ptr<float>());
  return mask.to(like.scalar_type());
}

Tensor probability_dropout_mask(at::IntArrayRef sizes, const Tensor& like,
                                const DropoutSite& site) {
  const int64_t columns = sizes.back();
  const int64_t rows = c10::multiply_integers(sizes.slice(0, sizes.size() - 1));
  if (like.is_cpu()) {
    Tensor mask = at::empty(sizes, at::kFloat);
    kernels::row_kernels().probability_dropout_mask(site.key(), site.p, rows, columns,
                                                    mask.data_ptr<float>());
    return mask.to(like.scalar_type());
  }
  const Tensor starts = bits_by_tensor_algebra(indices(rows, like), site_key(like, site));
  const Tensor steps = times(indices(columns, like), kernels::kDropoutStep);
  const Tensor places = (starts.unsqueeze(1) + steps).bitwise_and(kLow);
  return factors_of(mix(places), like, site.p).view(sizes);
}

}  // namespace dietmt::encoders
