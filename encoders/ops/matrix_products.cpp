#include "encoders/ops/matrix_products.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/types.h>

namespace dietmt::encoders {
namespace {

using at::Tensor;

// Below, what oneDNN prepares for a product of new sizes takes longer than the product.
constexpr int64_t kManyRows = 64;

using LinearOperator = Tensor(const Tensor& x, const Tensor& weight,
                              const std::optional<Tensor>& bias, c10::string_view activation,
                              torch::List<std::optional<at::Scalar>> scalars,
                              std::optional<c10::string_view> algorithm);

// LibTorch's way to oneDNN's x W^T + b; nothing where LibTorch was built without oneDNN.
const std::optional<c10::TypedOperatorHandle<LinearOperator>>& onednn_linear() {
  static const std::optional<c10::TypedOperatorHandle<LinearOperator>> found = [] {
    const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    return schema ? std::optional(schema->typed<LinearOperator>()) : std::nullopt;
  }();
  return found;
}

// The BLAS library uses AVX-512 on its maker's processors. There it is as fast as oneDNN, and needs
// no transposed copy beforehand.
bool blas_is_fast() {
#if defined(__x86_64__)
  static const bool intel = __builtin_cpu_is("intel");
  return intel;
#else
  return false;
#endif
}

Tensor call_onednn(const Tensor& a, const Tensor& b, const std::optional<Tensor>& bias,
                   const char* activation) {
  return onednn_linear()->call(a, b.t(), bias, activation, torch::List<std::optional<at::Scalar>>(),
                               "");
}

}  // namespace

bool has_fast_products(const Tensor& x, int64_t rows) {
  return rows >= kManyRows && x.is_cpu() && x.scalar_type() == at::kFloat &&
         onednn_linear().has_value();
}

Tensor fast_product(const Tensor& a, const Tensor& b, const std::optional<Tensor>& bias) {
  if (!onednn_linear()) return bias ? at::addmm(*bias, a, b) : at::mm(a, b);
  return call_onednn(a, b, bias, "none");
}

Tensor fast_relu_product(const Tensor& a, const Tensor& b, const Tensor& bias) {
  if (!onednn_linear()) return at::addmm(bias, a, b).relu_();
  return call_onednn(a, b, bias, "relu");
}

Tensor fast_transposed_product(const Tensor& a, const Tensor& b) {
  if (blas_is_fast() || !onednn_linear()) return at::mm(a.t(), b);
  // Wide products are faster than tall ones.
  if (a.size(1) <= b.size(1)) return fast_product(a.t(), b);
  return fast_product(b.t(), a).t().contiguous();
}

}  // namespace dietmt::encoders
