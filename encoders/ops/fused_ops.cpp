#include "encoders/ops/fused_ops.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <optional>

#include "encoders/ops/device_rows.h"
#include "kernels/dropout.h"
#include "kernels/rowwise.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using kernels::DeviceActivation;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

bool has_kernel(const Tensor& x) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
}

bool has_norm_kernel(const Tensor& x, const Tensor& gamma) {
  return has_kernel(x) && gamma.scalar_type() == at::kFloat;
}

// Calls `run` with a number of the type of x, which has_kernel().
template <typename Run>
void with_number_of(const Tensor& x, Run run) {
  x.scalar_type() == at::kFloat ? run(float()) : run(kernels::BFloat16());
}

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

Tensor numbers_to(int64_t count, const Tensor& like) {
  return at::arange(count, like.options().dtype(at::kLong).requires_grad(false));
}

// 1 / (1 - p) where the bits say so, else 0; in the dtype of `like`.
Tensor factors_of(const Tensor& bits, const Tensor& like, double p) {
  return (bits >= static_cast<int64_t>(kernels::dropout_threshold(p)))
      .to(like.scalar_type())
      .mul_(1.0 / (1.0 - p));
}

Tensor mask_by_tensor_algebra(const Tensor& like, const DropoutSite& site) {
  const Tensor bits = bits_by_tensor_algebra(numbers_to(like.numel(), like), site_key(like, site));
  return factors_of(bits, like, site.p).view(like.sizes());
}

// Null if undefined.
template <typename Number = float>
const Number* numbers_of(const Tensor& x) {
  return x.defined() ? static_cast<const Number*>(x.const_data_ptr()) : nullptr;
}
template <typename Number = float>
Number* numbers_to(const Tensor& x) {
  return x.defined() ? static_cast<Number*>(x.mutable_data_ptr()) : nullptr;
}

// Whether the values before gamma and beta can be recovered from the output to about 1e-6.
bool is_invertible(const Tensor& gamma, const Tensor& beta) {
  constexpr float kSmallest = 1e-6f, kLargestRatio = 16.0f;
  const float* g = gamma.const_data_ptr<float>();
  const float* b = numbers_of(beta);
  for (int64_t c = 0; c < gamma.numel(); ++c) {
    const float size = std::abs(g[c]);
    const float shift = b == nullptr ? 0.0f : std::abs(b[c]);
    if (!(size >= kSmallest && shift <= kLargestRatio * size)) return false;
  }
  return true;
}

// Without beta an RMS norm, which may lack the branch.
class AddNorm : public torch::autograd::Function<AddNorm> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& residual,
                        const std::optional<Tensor>& given_branch, const Tensor& gamma,
                        const std::optional<Tensor>& given_beta, double p, int64_t key,
                        double epsilon) {
    const Tensor branch = given_branch.value_or(Tensor()), beta = given_beta.value_or(Tensor());
    // Later layers keep the output anyway, so keeping only it saves memory. The rounding of bf16 is
    // too coarse for that.
    const bool from_output = residual.scalar_type() == at::kFloat && is_invertible(gamma, beta);
    const Tensor normalized = from_output ? Tensor() : at::empty_like(residual);
    const Tensor inverse_std = at::empty({residual.size(0)}, gamma.options().requires_grad(false));
    const Tensor output = at::empty_like(residual);
    with_number_of(residual, [&](auto number) {
      using Number = decltype(number);
      kernels::row_kernels().add_norm_forward(
          kernels::AddNormForward<Number>{.rows = residual.size(0),
                                          .width = residual.size(1),
                                          .residual = numbers_of<Number>(residual),
                                          .branch = numbers_of<Number>(branch),
                                          .gamma = numbers_of(gamma),
                                          .beta = numbers_of(beta),
                                          .dropout = p,
                                          .dropout_key = static_cast<uint64_t>(key),
                                          .epsilon = epsilon,
                                          .normalized = numbers_to<Number>(normalized),
                                          .inverse_std = numbers_to(inverse_std),
                                          .output = numbers_to<Number>(output)});
    });
    context->save_for_backward({from_output ? output : normalized, inverse_std, gamma, beta});
    context->saved_data["from_output"] = from_output;
    context->saved_data["has_branch"] = branch.defined();
    context->saved_data["p"] = p;
    context->saved_data["key"] = key;
    return output;
  }

  static tensor_list backward(AutogradContext* context, tensor_list grads) {
    const auto saved = context->get_saved_variables();
    const Tensor grad_output = grads[0].contiguous();
    const Tensor& gamma = saved[2];
    Tensor grad_residual = at::empty_like(grad_output);
    Tensor grad_branch, grad_beta;
    if (context->saved_data["has_branch"].toBool()) grad_branch = at::empty_like(grad_output);
    Tensor grad_gamma = at::empty_like(gamma);
    if (saved[3].defined()) grad_beta = at::empty_like(gamma);
    const bool from_output = context->saved_data["from_output"].toBool();
    with_number_of(grad_output, [&](auto number) {
      using Number = decltype(number);
      kernels::row_kernels().add_norm_backward(kernels::AddNormBackward<Number>{
          .rows = grad_output.size(0),
          .width = grad_output.size(1),
          .grad_output = numbers_of<Number>(grad_output),
          .normalized = from_output ? nullptr : numbers_of<Number>(saved[0]),
          .output = from_output ? numbers_of<Number>(saved[0]) : nullptr,
          .inverse_std = numbers_of(saved[1]),
          .gamma = numbers_of(gamma),
          .beta = numbers_of(saved[3]),
          .dropout = context->saved_data["p"].toDouble(),
          .dropout_key = static_cast<uint64_t>(context->saved_data["key"].toInt()),
          .grad_residual = numbers_to<Number>(grad_residual),
          .grad_branch = numbers_to<Number>(grad_branch),
          .grad_gamma = numbers_to(grad_gamma),
          .grad_beta = numbers_to(grad_beta)});
    });
    return {grad_residual, grad_branch, grad_gamma, grad_beta, Tensor(), Tensor(), Tensor()};
  }
};

Tensor fused_norm(const Tensor& residual, const Tensor& branch, const Tensor& gamma,
                  const Tensor& beta, const DropoutSite& site, double epsilon) {
  return AddNorm::apply(residual, if_defined(branch), gamma, if_defined(beta), site.p,
                        static_cast<int64_t>(site.key()), epsilon);
}

Tensor run_dropout_add(const Tensor* residual, const Tensor& branch, double p, int64_t key) {
  const Tensor output = at::empty_like(branch);
  with_number_of(branch, [&](auto number) {
    using Number = decltype(number);
    kernels::row_kernels().dropout_add(
        kernels::DropoutAdd<Number>{.size = branch.numel(),
                                    .residual = residual ? numbers_of<Number>(*residual) : nullptr,
                                    .branch = numbers_of<Number>(branch),
                                    .dropout = p,
                                    .dropout_key = static_cast<uint64_t>(key),
                                    .output = numbers_to<Number>(output)});
  });
  return output;
}

class DropoutAddFunction : public torch::autograd::Function<DropoutAddFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& residual, const Tensor& branch,
                        double p, int64_t key) {
    context->saved_data["p"] = p;
    context->saved_data["key"] = key;
    return run_dropout_add(&residual, branch, p, key);
  }
  static tensor_list backward(AutogradContext* context, tensor_list grads) {
    const Tensor grad_branch =
        run_dropout_add(nullptr, grads[0].contiguous(), context->saved_data["p"].toDouble(),
                        context->saved_data["key"].toInt());
    return {grads[0], grad_branch, Tensor(), Tensor()};
  }
};

class DropoutFunction : public torch::autograd::Function<DropoutFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, double p, int64_t key) {
    context->saved_data["p"] = p;
    context->saved_data["key"] = key;
    return run_dropout_add(nullptr, x, p, key);
  }
  static tensor_list backward(AutogradContext* context, tensor_list grads) {
    return {run_dropout_add(nullptr, grads[0].contiguous(), context->saved_data["p"].toDouble(),
                            context->saved_data["key"].toInt()),
            Tensor(), Tensor()};
  }
};

// With its bias.
Tensor whole(const Branch& branch) {
  return branch.bias.defined() ? branch.rows + branch.bias.to(branch.rows.scalar_type())
                               : branch.rows;
}

DeviceActivation on_device(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return DeviceActivation::kRelu;
    case Activation::kGelu:
      return DeviceActivation::kGelu;
    case Activation::kSilu:
      return DeviceActivation::kSilu;
    case Activation::kSwiglu:
      break;
  }
  return DeviceActivation::kSwiglu;
}

}  // namespace

Tensor dropout_mask_like(const Tensor& like, const DropoutSite& site) {
  if (has_device_activate(like))
    return device_activate({}, at::ones(like.sizes(), like.options().requires_grad(false)),
                           DeviceActivation::kNone, site);
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
  const Tensor starts = bits_by_tensor_algebra(numbers_to(rows, like), site_key(like, site));
  const Tensor steps = times(numbers_to(columns, like), kernels::kDropoutStep);
  const Tensor places = (starts.unsqueeze(1) + steps).bitwise_and(kLow);
  return factors_of(mix(places), like, site.p).view(sizes);
}

Tensor add_norm(const Tensor& residual, const Branch& branch, const Tensor& gamma,
                const Tensor& beta, const DropoutSite& dropout_site, double epsilon) {
  const Branch cast(branch.rows.to(residual.scalar_type()), branch.bias);
  if (has_device_add_norm(residual, gamma))
    return device_add_norm(residual, cast, gamma, beta, dropout_site, epsilon);
  if (has_norm_kernel(residual, gamma)) {
    return fused_norm(residual.contiguous(), whole(cast).contiguous(), gamma, beta, dropout_site,
                      epsilon);
  }
  const Tensor sum = dropout_add(residual, cast, dropout_site);
  if (!beta.defined()) return rms_norm(sum, gamma, epsilon);
  return layer_norm(sum, gamma, beta, epsilon);
}

Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon) {
  if (has_device_add_norm(x, gamma))
    return device_add_norm(x.flatten(0, -2), Tensor(), gamma, beta, {}, epsilon).view(x.sizes());
  if (x.is_cpu()) return at::layer_norm(x, {x.size(-1)}, gamma, beta, epsilon);
  return at::layer_norm(x.to(gamma.scalar_type()), {x.size(-1)}, gamma, beta, epsilon)
      .to(x.scalar_type());
}

Tensor rms_norm(const Tensor& x, const Tensor& gamma, double epsilon) {
  if (has_device_add_norm(x, gamma))
    return device_add_norm(x.contiguous().flatten(0, -2), Tensor(), gamma, Tensor(), {}, epsilon)
        .view(x.sizes());
  if (!has_norm_kernel(x, gamma))
    return at::rms_norm(x.to(gamma.scalar_type()), {x.size(-1)}, gamma, epsilon)
        .to(x.scalar_type());
  const Tensor rows = x.contiguous().flatten(0, -2);
  return fused_norm(rows, Tensor(), gamma, Tensor(), {}, epsilon).view(x.sizes());
}

Tensor dropout_add(const Tensor& residual, const Branch& branch, const DropoutSite& dropout_site) {
  const Branch cast(branch.rows.to(residual.scalar_type()), branch.bias);
  if (has_device_activate(residual))
    return device_activate(residual, cast, DeviceActivation::kNone, dropout_site);
  const Tensor rows = whole(cast);
  if (dropout_site.p == 0.0) return residual + rows;
  if (!has_kernel(residual)) return residual + rows * dropout_mask_like(rows, dropout_site);
  return DropoutAddFunction::apply(residual.contiguous(), rows.contiguous(), dropout_site.p,
                                   static_cast<int64_t>(dropout_site.key()));
}

Tensor activate(const Branch& x, Activation activation, const DropoutSite& site) {
  if (has_device_activate(x.rows)) return device_activate({}, x, on_device(activation), site);
  Tensor rows = whole(x);
  switch (activation) {
    case Activation::kRelu:
      return dropout(at::relu_(rows), site);
    case Activation::kGelu:
      return dropout(at::gelu(rows), site);
    case Activation::kSilu:
      return dropout(at::silu(rows), site);
    case Activation::kSwiglu:
      break;
  }
  const int64_t width = rows.size(1) / 2;
  return dropout(at::silu(rows.narrow(1, 0, width)) * rows.narrow(1, width, width), site);
}

Tensor dropout(const Tensor& x, const DropoutSite& site) {
  if (site.p == 0.0) return x;
  if (has_device_activate(x)) return device_activate({}, x, DeviceActivation::kNone, site);
  if (!has_kernel(x)) return x * dropout_mask_like(x, site);
  return DropoutFunction::apply(x.contiguous(), site.p, static_cast<int64_t>(site.key()));
}

Tensor row_dropout(const Tensor& x, const DropoutSite& site) {
  if (site.p == 0.0) return x;
  return x * dropout_mask_like(x.narrow(1, 0, 1), site);  // [N, D] * [N, 1]
}

}  // namespace dietmt::encoders
