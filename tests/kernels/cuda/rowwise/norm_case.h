// A call of add_norm and its gradients, with the expected results in double.
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/cuda/rowwise/row_tensor.h"

namespace dietmt::kernels {

enum class NormKind { kLayer, kRms };

struct NormOptions {
  ElementType type = ElementType::kFloat;
  int64_t rows = 1;
  int64_t width = 64;
  NormKind kind = NormKind::kLayer;
  double dropout = 0.0;
  bool residual = true;
  bool branch = true;
  bool branch_bias = true;
  int64_t shift = 0;  // of the residual, in elements

  std::string name() const {
    return name_of(type) + " " + std::to_string(rows) + " x " + std::to_string(width) +
           (kind == NormKind::kLayer ? " layer" : " rms") + " p " + std::to_string(dropout);
  }
};

struct NormCase {
  explicit NormCase(const NormOptions& chosen)
      : options(chosen),
        size(options.rows * options.width),
        residual(RowTensor::random(options.type, size, 1, 2.0, options.shift)),
        branch(RowTensor::random(options.type, size, 2)),
        bias(RowTensor::random(ElementType::kFloat, options.width, 3)),
        gamma(RowTensor::random(ElementType::kFloat, options.width, 4)),
        beta(RowTensor::random(ElementType::kFloat, options.width, 5)),
        grad_output(RowTensor::random(options.type, size, 6)),
        normalized(options.type, size),
        inverse_std(ElementType::kFloat, options.rows),
        output(options.type, size),
        grad_residual(options.type, size),
        grad_branch(options.type, size),
        grad_gamma(ElementType::kFloat, options.width),
        grad_beta(ElementType::kFloat, options.width),
        grad_bias(ElementType::kFloat, options.width),
        dropout(dropout_of(options.dropout, 77)) {}

  bool layer() const { return options.kind == NormKind::kLayer; }

  AddNorm forward() const {
    AddNorm call;
    call.type = options.type;
    call.rows = options.rows;
    call.width = options.width;
    call.residual = options.residual ? residual.data() : nullptr;
    call.branch = options.branch ? branch.data() : nullptr;
    call.branch_bias = options.branch_bias ? bias.floats() : nullptr;
    call.gamma = gamma.floats();
    call.beta = layer() ? beta.floats() : nullptr;
    call.dropout = dropout;
    call.normalized = normalized.data();
    call.inverse_std = inverse_std.floats();
    call.output = output.data();
    return call;
  }

  /// Uses what forward() has left.
  AddNormBackward backward() const {
    AddNormBackward call;
    call.type = options.type;
    call.rows = options.rows;
    call.width = options.width;
    call.grad_output = grad_output.data();
    call.normalized = normalized.data();
    call.inverse_std = inverse_std.floats();
    call.gamma = gamma.floats();
    call.beta = layer() ? beta.floats() : nullptr;
    call.dropout = dropout;
    call.grad_residual = grad_residual.data();
    call.grad_branch = grad_branch.data();
    call.grad_gamma = grad_gamma.floats();
    call.grad_beta = layer() ? grad_beta.floats() : nullptr;
    call.grad_branch_bias = grad_bias.floats();
    return call;
  }

  std::vector<const RowTensor*> results() const {
    return {&normalized,  &inverse_std, &output,    &grad_residual,
            &grad_branch, &grad_gamma,  &grad_beta, &grad_bias};
  }

  NormOptions options;
  int64_t size;
  RowTensor residual, branch, bias, gamma, beta, grad_output;
  RowTensor normalized, inverse_std, output;
  RowTensor grad_residual, grad_branch, grad_gamma, grad_beta, grad_bias;
  DropoutCall dropout;
};

}  // namespace dietmt::kernels
