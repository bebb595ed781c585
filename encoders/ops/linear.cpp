#include "encoders/ops/linear.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <cmath>
#include <optional>
#include <vector>

#include "encoders/ops/linear_products.h"
#include "encoders/ops/undrawn_weights.h"
#include "encoders/ops/weight_copies.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

Tensor product_of(const Tensor& x, const Tensor& weight, const Tensor& bias, bool relu = false) {
  return linear_products(x, weight).forward(x, weight, bias, relu);
}

LinearGradients gradients_of(const LinearBackward& call) {
  return linear_products(call.x, call.weight).backward(call);
}

// One layer, or several side by side, and x again. Inputs are x, the weights, the biases or none.
struct Linear : torch::autograd::Function<Linear> {
  static variable_list forward(AutogradContext* context, const Tensor& x, at::TensorList weights,
                               at::TensorList biases) {
    context->set_materialize_grads(false);
    const Tensor weight = stacked_weights_in(x.scalar_type(), weights);
    std::vector<int64_t> rows;
    for (const Tensor& part : weights) rows.push_back(part.size(0));
    context->saved_data["rows"] = rows;
    context->saved_data["has_bias"] = !biases.empty();
    context->save_for_backward({x, weight});
    const Tensor bias = biases.empty() ? Tensor() : stacked_weights_in(x.scalar_type(), biases);
    return {product_of(x, weight, bias), x};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::vector<int64_t> rows = context->saved_data["rows"].toIntVector();
    const bool has_bias = context->saved_data["has_bias"].toBool();
    const size_t parts = rows.size();
    variable_list results(1 + parts * (has_bias ? 2 : 1));
    if (!gradients[0].defined()) {
      results[0] = gradients[1];
      return results;
    }
    const auto wants_any = [&](size_t first) {
      for (size_t i = first; i < first + parts; ++i)
        if (context->needs_input_grad(i)) return true;
      return false;
    };
    // No other reference to gradients[1]: backward() may then write over it.
    const Tensor grad_output = gradients[0].contiguous();
    const LinearGradients found = gradients_of({.x = saved[0],
                                                .weight = saved[1],
                                                .grad_output = grad_output,
                                                .so_far = gradients[1],
                                                .wants_x = context->needs_input_grad(0),
                                                .wants_weight = wants_any(1),
                                                .wants_bias = has_bias && wants_any(1 + parts)});
    results[0] = found.x;
    const auto set_parts = [&](size_t first, const Tensor& all) {
      if (!all.defined()) return;
      const variable_list split = parts == 1 ? variable_list{all} : all.split_with_sizes(rows);
      for (size_t i = 0; i < parts; ++i)
        if (context->needs_input_grad(first + i)) results[first + i] = split[i];
    };
    set_parts(1, found.weight);
    set_parts(1 + parts, found.bias);
    return results;
  }
};

// max(0, x W1^T + b1) W2^T [+ b2], and x.
struct ReluNetwork : torch::autograd::Function<ReluNetwork> {
  static variable_list forward(AutogradContext* context, const Tensor& x,
                               const Tensor& inner_weight, const Tensor& inner_bias,
                               const Tensor& outer_weight,
                               const std::optional<Tensor>& outer_bias) {
    context->set_materialize_grads(false);
    const at::ScalarType type = x.scalar_type();
    const Tensor inner = weight_in(type, inner_weight), outer = weight_in(type, outer_weight);
    const Tensor hidden = product_of(x, inner, weight_in(type, inner_bias), true);
    context->saved_data["has_bias"] = outer_bias->defined();
    context->save_for_backward({x, inner, hidden, outer});
    return {
        product_of(hidden, outer, outer_bias->defined() ? weight_in(type, *outer_bias) : Tensor()),
        x};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    if (!gradients[0].defined()) return {gradients[1], {}, {}, {}, {}};
    const variable_list saved = context->get_saved_variables();
    const auto wants = [&](size_t input) { return context->needs_input_grad(input); };
    const Tensor grad_output = gradients[0].contiguous(), none;
    const LinearGradients of_outer =
        gradients_of({.x = saved[2],
                      .weight = saved[3],
                      .grad_output = grad_output,
                      .so_far = none,
                      .wants_x = wants(0) || wants(1) || wants(2),
                      .wants_weight = wants(3),
                      .wants_bias = context->saved_data["has_bias"].toBool() && wants(4),
                      .relu = true});
    LinearGradients of_inner;
    if (of_outer.x.defined())
      of_inner = gradients_of({.x = saved[0],
                               .weight = saved[1],
                               .grad_output = of_outer.x,
                               .so_far = gradients[1],
                               .wants_x = wants(0),
                               .wants_weight = wants(1),
                               .wants_bias = wants(2)});
    return {of_inner.x, of_inner.weight, of_inner.bias, of_outer.weight, of_outer.bias};
  }
};

BranchAndResidual layers(const Tensor& x, at::TensorList weights, at::TensorList biases) {
  const variable_list results = Linear::apply(x.contiguous(), weights, biases);
  return {results[0], results[1]};
}

bool leaves_bias(const Tensor& x, const Tensor& weight) {
  return !x.is_cpu() && uses_weight_copies(x, weight);
}

}  // namespace

Tensor glorot(int64_t outputs, int64_t inputs) {
  const double bound = std::sqrt(6.0 / static_cast<double>(inputs + outputs));
  Tensor weight = torch::empty({outputs, inputs});
  return UndrawnWeights::applies() ? weight : weight.uniform_(-bound, bound);
}

bool uses_weight_copies(const Tensor& x, const Tensor& weight) {
  if (weight.scalar_type() != at::kFloat) return false;
  const at::ScalarType type = x.scalar_type();
  if (x.is_cpu()) return type == at::kBFloat16;
  return type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
}

Tensor linear_layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return linear_branch(x, weight, bias, Epilogue::kBias).branch.rows;
}

BranchAndResidual linear_branch(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                Epilogue epilogue) {
  if (!bias.defined()) return layers(x, weight, {});
  if (epilogue == Epilogue::kBias || !leaves_bias(x, weight)) return layers(x, weight, bias);
  const BranchAndResidual product = layers(x, weight, {});
  return {{product.branch.rows, bias}, product.x};
}

Tensor wide_linear_layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return uses_weight_copies(x, weight) ? linear_layer(x, weight, bias)
                                       : at::linear(x, weight, bias);
}

Tensor stacked_linear(const Tensor& x, at::TensorList weights, at::TensorList biases) {
  return layers(x, weights, biases).branch.rows;
}

BranchAndResidual relu_network(const Tensor& x, const LinearWeights& inner,
                               const LinearWeights& outer) {
  const bool leaves = leaves_bias(x, outer.weight);
  const variable_list results =
      ReluNetwork::apply(x.contiguous(), inner.weight, inner.bias, outer.weight,
                         std::optional(leaves ? Tensor() : outer.bias));
  return {{results[0], leaves ? outer.bias : Tensor()}, results[1]};
}

}  // namespace dietmt::encoders
