// Norms, activations and column sums.
#include <cmath>
#include <vector>

#include "tests/counting_device/elements.h"
#include "tests/counting_device/fused_kernels.h"
#include "tests/counting_device/launch_log.h"

namespace dietmt::counting {
namespace {

using kernels::Activation;

/// Derivative and value of an activation.
struct Activated {
  double value;
  double slope;
};

Activated activated(Activation activation, double x) {
  switch (activation) {
    case Activation::kRelu:
      return {x > 0.0 ? x : 0.0, x > 0.0 ? 1.0 : 0.0};
    case Activation::kGelu: {
      const double below = 0.5 * (1.0 + std::erf(x / std::sqrt(2.0)));
      const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI);
      return {x * below, below + x * density};
    }
    case Activation::kSilu:
    case Activation::kSwiglu: {
      const double sigmoid = 1.0 / (1.0 + std::exp(-x));
      return {x * sigmoid, sigmoid * (1.0 + x * (1.0 - sigmoid))};
    }
    case Activation::kGeluTanh:  // LibTorch computes these
    case Activation::kGegluTanh:
    case Activation::kNone:
      break;
  }
  return {x, 1.0};
}

void norm_row(const kernels::AddNorm& call, int64_t row, std::vector<double>& sum) {
  const Elements residual(call.residual, call.type, "residual");
  const Elements branch(call.branch, call.type, "branch");
  const Elements bias = floats(call.branch_bias, "branch_bias");
  const Elements gamma = floats(call.gamma, "gamma"), beta = floats(call.beta, "beta");
  const Elements normalized(call.normalized, call.type, "normalized");
  const Elements inverse_std = floats(call.inverse_std, "inverse_std");
  const Elements output(call.output, call.type, "output");
  const DropoutFactors factors(call.dropout);
  const int64_t width = call.width;
  double mean = 0.0, squares = 0.0;
  for (int64_t c = 0; c < width; ++c) {
    const int64_t i = row * width + c;
    double x = residual.is_null() ? 0.0 : residual[i];
    if (!branch.is_null())
      x += factors[i] * (static_cast<double>(branch[i]) + (bias.is_null() ? 0.0 : bias[c]));
    sum[static_cast<size_t>(c)] = x;
    mean += x / static_cast<double>(width);
  }
  if (beta.is_null()) mean = 0.0;
  for (const double x : sum) squares += (x - mean) * (x - mean) / static_cast<double>(width);
  const double factor = 1.0 / std::sqrt(squares + call.epsilon);
  if (!inverse_std.is_null()) inverse_std.set(row, static_cast<float>(factor));
  for (int64_t c = 0; c < width; ++c) {
    const int64_t i = row * width + c;
    const auto y = static_cast<float>((sum[static_cast<size_t>(c)] - mean) * factor);
    if (!normalized.is_null()) normalized.set(i, y);
    output.set(i, y * gamma[c] + (beta.is_null() ? 0.0f : beta[c]));
  }
}

/// Adds a row's part to the sums over rows: for gamma, beta and the bias of the branch.
void norm_row_backward(const kernels::AddNormBackward& call, int64_t row,
                       std::vector<double>& gamma_sums, std::vector<double>& beta_sums,
                       std::vector<double>& bias_sums) {
  const Elements grad(call.grad_output, call.type, "grad_output");
  const Elements normalized(call.normalized, call.type, "normalized");
  const Elements gamma = floats(call.gamma, "gamma");
  const Elements grad_residual(call.grad_residual, call.type, "grad_residual");
  const Elements grad_branch(call.grad_branch, call.type, "grad_branch");
  const double factor = floats(call.inverse_std, "inverse_std")[row];
  const DropoutFactors factors(call.dropout);
  const int64_t width = call.width;
  double mean = 0.0, mean_product = 0.0;
  for (int64_t c = 0; c < width; ++c) {
    const int64_t i = row * width + c;
    const double g = static_cast<double>(grad[i]) * gamma[c];
    mean += g / static_cast<double>(width);
    mean_product += g * normalized[i] / static_cast<double>(width);
    gamma_sums[static_cast<size_t>(c)] += static_cast<double>(grad[i]) * normalized[i];
    beta_sums[static_cast<size_t>(c)] += grad[i];
  }
  if (call.beta == nullptr) mean = 0.0;
  for (int64_t c = 0; c < width; ++c) {
    const int64_t i = row * width + c;
    const double g = static_cast<double>(grad[i]) * gamma[c];
    const auto x = static_cast<float>((g - mean - normalized[i] * mean_product) * factor);
    const float branch = x * factors[i];
    bias_sums[static_cast<size_t>(c)] += branch;
    grad_residual.set(i, x);
    if (!grad_branch.is_null()) grad_branch.set(i, branch);
  }
}

void store(const std::vector<double>& sums, const Elements& to) {
  if (to.is_null()) return;
  for (size_t c = 0; c < sums.size(); ++c)
    to.set(static_cast<int64_t>(c), static_cast<float>(sums[c]));
}

int64_t width_of_input(const kernels::Activate& call) {
  return call.activation == Activation::kSwiglu ? 2 * call.width : call.width;
}

}  // namespace

void add_norm(const kernels::AddNorm& call) {
  const DeviceWork work;
  log_launches("add_norm");
  if (!computes())
    return Elements(call.output, call.type, "output").set_zero(call.rows * call.width);
  std::vector<double> sum(static_cast<size_t>(call.width));
  for (int64_t row = 0; row < call.rows; ++row) norm_row(call, row, sum);
}

void add_norm_backward(const kernels::AddNormBackward& call) {
  const DeviceWork work;
  log_launches("add_norm_backward");
  const Elements grad_gamma = floats(call.grad_gamma, "grad_gamma");
  const Elements grad_beta = floats(call.grad_beta, "grad_beta");
  const Elements grad_bias = floats(call.grad_branch_bias, "grad_branch_bias");
  std::vector<double> gamma(static_cast<size_t>(call.width)), beta = gamma, bias = gamma;
  if (computes()) {
    for (int64_t row = 0; row < call.rows; ++row) norm_row_backward(call, row, gamma, beta, bias);
  } else {
    const int64_t count = call.rows * call.width;
    Elements(call.grad_residual, call.type, "grad_residual").set_zero(count);
    Elements(call.grad_branch, call.type, "grad_branch").set_zero(count);
  }
  store(gamma, grad_gamma);
  store(beta, grad_beta);
  store(bias, grad_bias);
}

void activate(const kernels::Activate& call) {
  const DeviceWork work;
  log_launches("activate");
  const Elements x(call.x, call.type, "x"), residual(call.residual, call.type, "residual");
  const Elements output(call.output, call.type, "output");
  const Elements bias = floats(call.bias, "bias");
  const DropoutFactors factors(call.dropout);
  const int64_t input = width_of_input(call);
  if (!computes()) return output.set_zero(call.rows * call.width);
  const auto value = [&](int64_t row, int64_t c) {
    return static_cast<double>(x[row * input + c]) + (bias.is_null() ? 0.0 : bias[c]);
  };
  for (int64_t row = 0; row < call.rows; ++row) {
    for (int64_t c = 0; c < call.width; ++c) {
      const int64_t i = row * call.width + c;
      double y = activated(call.activation, value(row, c)).value;
      if (call.activation == Activation::kSwiglu) y *= value(row, call.width + c);
      y *= factors[i];
      output.set(i, static_cast<float>(y + (residual.is_null() ? 0.0 : residual[i])));
    }
  }
}

void activate_backward(const kernels::ActivateBackward& call) {
  const DeviceWork work;
  const kernels::Activate& forward = call.forward;
  log_launches("activate_backward");
  const Elements x(forward.x, forward.type, "x"), bias = floats(forward.bias, "bias");
  const Elements grad(call.grad_output, forward.type, "grad_output");
  const Elements grad_x(call.grad_x, forward.type, "grad_x");
  const DropoutFactors factors(forward.dropout);
  const int64_t input = width_of_input(forward), width = forward.width;
  if (!computes()) grad_x.set_zero(forward.rows * input);
  std::vector<double> sums(static_cast<size_t>(input));
  const bool reads_x = forward.activation != Activation::kNone;
  const auto value = [&](int64_t row, int64_t c) {
    if (!reads_x) return 0.0;
    return static_cast<double>(x[row * input + c]) + (bias.is_null() ? 0.0 : bias[c]);
  };
  const auto set = [&](int64_t row, int64_t c, double gradient) {
    grad_x.set(row * input + c, static_cast<float>(gradient));
    sums[static_cast<size_t>(c)] += gradient;
  };
  for (int64_t row = 0; computes() && row < forward.rows; ++row) {
    for (int64_t c = 0; c < width; ++c) {
      const double g = static_cast<double>(grad[row * width + c]) * factors[row * width + c];
      const Activated y = activated(forward.activation, value(row, c));
      if (forward.activation == Activation::kSwiglu) {
        const double factor = value(row, width + c);
        set(row, c, g * y.slope * factor);
        set(row, width + c, g * y.value);
      } else {
        set(row, c, g * y.slope);
      }
    }
  }
  store(sums, floats(call.grad_bias, "grad_bias"));
}

void column_sums(const kernels::DeviceColumnSums& call) {
  const DeviceWork work;
  log_launches("column_sums");
  const Elements x(call.x, call.type, "x");
  std::vector<double> sums(static_cast<size_t>(call.width));
  for (int64_t row = 0; computes() && row < call.rows; ++row)
    for (int64_t c = 0; c < call.width; ++c)
      sums[static_cast<size_t>(c)] += x[row * call.row_stride + c];
  store(sums, floats(call.sums, "sums"));
}

}  // namespace dietmt::counting
