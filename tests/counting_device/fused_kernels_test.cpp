// The counting device's fused kernels compared with tensor operations and LibTorch's gradients.
#include "tests/counting_device/fused_kernels.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "common/error.h"
#include "kernels/dropout.h"
#include "kernels/rowwise.h"
#include "tests/counting_device/counting_device.h"

namespace dietmt::counting {
namespace {

using at::Tensor;
using kernels::Activation;

constexpr int64_t kRows = 7, kWidth = 12;

Tensor draw(at::IntArrayRef sizes, int64_t seed) {
  at::manual_seed(static_cast<uint64_t>(seed));
  return at::randn(sizes);
}

Tensor on_device(const Tensor& x) { return x.detach().to(counting_device()); }

Tensor result(at::IntArrayRef sizes) {
  return at::empty(sizes, at::TensorOptions(counting_device()).dtype(at::kFloat));
}

constexpr double kDropped = 0.3;
constexpr uint64_t kPassKey = 0x123456789abcdefULL, kSite = 2;

Tensor mask_of(at::IntArrayRef sizes) {
  const Tensor mask = at::empty(sizes);
  kernels::row_kernels().dropout_mask(random_key(kPassKey, kSite), kDropped, mask.numel(),
                                      mask.data_ptr<float>());
  return mask;
}

float* numbers(const Tensor& x) { return x.data_ptr<float>(); }

void expect_near(const Tensor& actual, const Tensor& expected, const char* name) {
  EXPECT_LE((actual.cpu() - expected.detach()).abs().max().item<float>(), 2e-5f) << name;
}

class FusedKernels : public testing::Test {
 protected:
  kernels::DropoutCall dropout() const {
    return {kDropped,
            {reinterpret_cast<const uint64_t*>(pass_key_.const_data_ptr<int64_t>()), kSite}};
  }

 private:
  Tensor pass_key_ = on_device(at::scalar_tensor(static_cast<int64_t>(kPassKey), at::kLong));
};

class Norms : public FusedKernels, public testing::WithParamInterface<bool> {};

TEST_P(Norms, AddNormAndItsGradients) {
  const bool has_mean = GetParam();
  const Tensor residual = draw({kRows, kWidth}, 1).requires_grad_(true);
  const Tensor branch = draw({kRows, kWidth}, 2).requires_grad_(true);
  const Tensor bias = draw({kWidth}, 3).requires_grad_(true);
  const Tensor gamma = draw({kWidth}, 4).requires_grad_(true);
  const Tensor beta = draw({kWidth}, 5).requires_grad_(true);
  const Tensor sum = residual + (branch + bias) * mask_of({kRows, kWidth});
  const Tensor expected = has_mean ? at::layer_norm(sum, {kWidth}, gamma, beta, 1e-5)
                                   : at::rms_norm(sum, {kWidth}, gamma, 1e-5);
  const Tensor grad = draw({kRows, kWidth}, 6);
  std::vector<Tensor> inputs = {residual, branch, bias, gamma};
  if (has_mean) inputs.push_back(beta);
  const auto gradients = torch::autograd::grad({expected}, inputs, {grad});

  const Tensor r = on_device(residual), b = on_device(branch), bb = on_device(bias);
  const Tensor g = on_device(gamma), be = on_device(beta), dy = on_device(grad);
  const Tensor normalized = result({kRows, kWidth}), inverse_std = result({kRows});
  const Tensor output = result({kRows, kWidth});
  kernels::AddNorm call;
  call.rows = kRows;
  call.width = kWidth;
  call.residual = numbers(r);
  call.branch = numbers(b);
  call.branch_bias = numbers(bb);
  call.gamma = numbers(g);
  call.beta = has_mean ? numbers(be) : nullptr;
  call.dropout = dropout();
  call.normalized = numbers(normalized);
  call.inverse_std = numbers(inverse_std);
  call.output = numbers(output);
  add_norm(call);
  expect_near(output, expected, "output");

  std::vector<Tensor> results = {result({kRows, kWidth}), result({kRows, kWidth}), result({kWidth}),
                                 result({kWidth}), result({kWidth})};
  kernels::AddNormBackward backward;
  backward.rows = kRows;
  backward.width = kWidth;
  backward.grad_output = numbers(dy);
  backward.normalized = numbers(normalized);
  backward.inverse_std = numbers(inverse_std);
  backward.gamma = numbers(g);
  backward.beta = call.beta;
  backward.dropout = dropout();
  backward.grad_residual = numbers(results[0]);
  backward.grad_branch = numbers(results[1]);
  backward.grad_branch_bias = numbers(results[2]);
  backward.grad_gamma = numbers(results[3]);
  backward.grad_beta = has_mean ? numbers(results[4]) : nullptr;
  add_norm_backward(backward);
  for (size_t i = 0; i < gradients.size(); ++i) expect_near(results[i], gradients[i], "gradient");
}

INSTANTIATE_TEST_SUITE_P(LayerAndRms, Norms, testing::Bool());

Tensor activated(Activation activation, const Tensor& x) {
  switch (activation) {
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kSilu:
      return at::silu(x);
    case Activation::kSwiglu:
      return at::silu(x.narrow(1, 0, kWidth)) * x.narrow(1, kWidth, kWidth);
    case Activation::kGeluTanh:  // LibTorch computes these
    case Activation::kGegluTanh:
    case Activation::kNone:
      break;
  }
  return x;
}

class Activations : public FusedKernels, public testing::WithParamInterface<Activation> {};

TEST_P(Activations, ActivateAndItsGradients) {
  const int64_t input = GetParam() == Activation::kSwiglu ? 2 * kWidth : kWidth;
  const Tensor x = draw({kRows, input}, 1).requires_grad_(true);
  const Tensor bias = draw({input}, 2).requires_grad_(true);
  const Tensor residual = draw({kRows, kWidth}, 3), grad = draw({kRows, kWidth}, 4);
  const Tensor mask = mask_of({kRows, kWidth});
  const Tensor expected = residual + activated(GetParam(), x + bias) * mask;
  const auto gradients = torch::autograd::grad({expected}, {x, bias}, {grad});

  const Tensor dx = on_device(x), db = on_device(bias), dr = on_device(residual);
  const Tensor dy = on_device(grad), output = result({kRows, kWidth});
  const Tensor grad_x = result({kRows, input}), grad_bias = result({input});
  kernels::ActivateBackward call;
  call.forward.activation = GetParam();
  call.forward.rows = kRows;
  call.forward.width = kWidth;
  call.forward.x = numbers(dx);
  call.forward.bias = numbers(db);
  call.forward.residual = numbers(dr);
  call.forward.dropout = dropout();
  call.forward.output = numbers(output);
  activate(call.forward);
  expect_near(output, expected, "output");
  call.grad_output = numbers(dy);
  call.grad_x = numbers(grad_x);
  call.grad_bias = numbers(grad_bias);
  activate_backward(call);
  expect_near(grad_x, gradients[0], "x");
  expect_near(grad_bias, gradients[1], "bias");
}

INSTANTIATE_TEST_SUITE_P(All, Activations,
                         testing::Values(Activation::kNone, Activation::kRelu, Activation::kGelu,
                                         Activation::kSilu, Activation::kSwiglu));

TEST_F(FusedKernels, EmbedAndItsGradient) {
  const Tensor table = draw({9, kWidth}, 1).requires_grad_(true);
  const Tensor positions_table = draw({5, kWidth}, 2);
  const Tensor ids = at::tensor({3, 1, 3, 0, 8, 1, 3}, at::kLong),
               positions = at::tensor({0, 1, 2, 3, 4, 0, 1}, at::kLong);
  const Tensor mask = mask_of({kRows, kWidth});
  const Tensor expected =
      (at::embedding(table, ids) * 1.5 + at::embedding(positions_table, positions)) * mask;
  const Tensor grad = draw({kRows, kWidth}, 3);
  const auto gradients = torch::autograd::grad({expected}, {table}, {grad});

  const Tensor t = on_device(table), p = on_device(positions_table), dy = on_device(grad);
  const Tensor i = on_device(ids), places = on_device(positions), output = result({kRows, kWidth});
  const Tensor order = on_device(at::argsort(ids, /*stable=*/true, 0, false));
  const Tensor grad_table = at::zeros_like(t);
  kernels::DeviceEmbed call;
  call.rows = kRows;
  call.width = kWidth;
  call.table = numbers(t);
  call.ids = i.data_ptr<int64_t>();
  call.scale = 1.5;
  call.position_table = numbers(p);
  call.positions = places.data_ptr<int64_t>();
  call.dropout = dropout();
  call.output = numbers(output);
  embed(call);
  expect_near(output, expected, "output");
  kernels::DeviceEmbedBackward backward;
  backward.rows = kRows;
  backward.width = kWidth;
  backward.grad_output = numbers(dy);
  backward.ids = call.ids;
  backward.order = order.data_ptr<int64_t>();
  backward.scale = 1.5;
  backward.dropout = dropout();
  backward.grad_table = numbers(grad_table);
  embed_backward(backward);
  expect_near(grad_table, gradients[0], "table");
}

TEST_F(FusedKernels, CrossEntropyAndItsGradient) {
  const Tensor logits = draw({kRows, kWidth}, 1).requires_grad_(true);
  const Tensor bias = draw({kWidth}, 2), targets = at::tensor({3, 1, 3, 0, 8, 11, 3}, at::kLong);
  const auto loss = [&](double smoothing) {
    return at::cross_entropy_loss(logits + bias, targets, {}, at::Reduction::None, -100, smoothing);
  };
  const auto gradients = torch::autograd::grad({loss(0.1).sum()}, {logits});
  const Tensor x = on_device(logits), b = on_device(bias), t = on_device(targets);
  const Tensor losses = result({kRows, 2});
  kernels::DeviceCrossEntropy call;
  call.rows = kRows;
  call.classes = kWidth;
  call.logits = numbers(x);
  call.bias = numbers(b);
  call.targets = t.data_ptr<int64_t>();
  call.smoothing = 0.1;
  call.gradient = true;
  call.losses = numbers(losses);
  cross_entropy(call);
  expect_near(losses, at::stack({loss(0.1), loss(0.0)}, 1), "losses");
  expect_near(x, gradients[0], "logits");

  const Tensor weights = at::arange(kRows, at::kFloat), w = on_device(weights);
  const Tensor again = on_device(logits);
  call.logits = numbers(again);
  call.weights = numbers(w);
  cross_entropy(call);
  expect_near(losses, at::stack({loss(0.1), loss(0.0)}, 1) * weights.unsqueeze(1), "losses");
  expect_near(again, gradients[0] * weights.unsqueeze(1), "logits");
}

TEST_F(FusedKernels, RotateThereAndBack) {
  const int64_t heads = 2, head_width = 6, half = 3;
  const Tensor x = draw({kRows, heads, head_width}, 1), angles = draw({4, 1, half}, 2);
  const Tensor positions = at::tensor({0, 1, 2, 3, 2, 1, 0}, at::kLong);
  const Tensor c = angles.cos().index_select(0, positions);
  const Tensor s = angles.sin().index_select(0, positions);
  const Tensor neighbours = x.select(1, 0).view({kRows, half, 2});
  const Tensor a = neighbours.select(2, 0), b = neighbours.select(2, 1);
  const Tensor c0 = c.select(1, 0), s0 = s.select(1, 0);
  const Tensor first = at::stack({a * c0 - b * s0, b * c0 + a * s0}, 2).flatten(1);
  const Tensor left = x.select(1, 1).narrow(1, 0, half),
               right = x.select(1, 1).narrow(1, half, half);
  const Tensor second = at::cat({left * c0 - right * s0, right * c0 + left * s0}, 1);

  const Tensor dx = on_device(x), p = on_device(positions);
  const Tensor table = on_device(at::stack({angles.cos(), angles.sin()}, 1));
  const Tensor output = result({kRows, heads, head_width}), again = at::empty_like(output);
  kernels::Rotate call;
  call.rows = kRows;
  call.heads = heads;
  call.head_width = head_width;
  call.x = numbers(dx);
  call.row_stride = heads * head_width;
  call.table = numbers(table);
  call.positions = p.data_ptr<int64_t>();
  call.halved_heads = 2;  // the second
  call.output = numbers(output);
  counting::rotate(call);
  expect_near(output, at::stack({first, second}, 1), "output");
  call.x = numbers(output);
  call.output = numbers(again);
  call.back = true;
  counting::rotate(call);
  expect_near(again, x, "back");
}

TEST_F(FusedKernels, LinearAndItsGradients) {
  const Tensor x = draw({kRows, 5}, 1).requires_grad_(true);
  const Tensor weight = draw({kWidth, 5}, 2).requires_grad_(true);
  const Tensor bias = draw({kWidth}, 3).requires_grad_(true);
  const Tensor grad = draw({kRows, kWidth}, 4);
  const Tensor plain = at::linear(x, weight, bias);
  const auto gradients = torch::autograd::grad({plain}, {x, weight, bias}, {grad});
  const Tensor dx = on_device(x), w = on_device(weight), b = on_device(bias), dy = on_device(grad);
  const Tensor output = result({kRows, kWidth});
  kernels::DeviceLinear call;
  call.rows = kRows;
  call.inputs = 5;
  call.outputs = kWidth;
  call.x = numbers(dx);
  call.weight = numbers(w);
  call.bias = numbers(b);
  call.relu = true;
  call.output = numbers(output);
  linear(call);
  expect_near(output, plain.relu(), "output");

  const Tensor grad_x = at::ones_like(dx), grad_weight = at::ones_like(w), sums = at::ones_like(b);
  kernels::DeviceLinearBackward backward;
  backward.rows = kRows;
  backward.inputs = 5;
  backward.outputs = kWidth;
  backward.x = numbers(dx);
  backward.weight = numbers(w);
  backward.grad_output = numbers(dy);
  backward.grad_x = numbers(grad_x);
  backward.add_to_grad_x = true;
  backward.grad_weight = numbers(grad_weight);
  backward.grad_bias = numbers(sums);
  backward.accumulate = true;
  linear_backward(backward);
  expect_near(grad_x, gradients[0] + 1, "x");
  expect_near(grad_weight, gradients[1] + 1, "weight");
  expect_near(sums, gradients[2] + 1, "bias");
}

TEST_F(FusedKernels, AddTheColumnsOfARowsPart) {
  const Tensor x = draw({kRows, kWidth}, 1), dx = on_device(x), sums = result({4});
  kernels::DeviceColumnSums call;
  call.rows = kRows;
  call.width = 4;
  call.x = numbers(dx);
  call.row_stride = kWidth;
  call.sums = numbers(sums);
  column_sums(call);
  expect_near(sums, x.narrow(1, 0, 4).sum(0), "sums");
}

TEST_F(FusedKernels, RefuseHostMemory) {
  const Tensor x = draw({kRows, kWidth}, 1), sums = result({kWidth});
  kernels::DeviceColumnSums call;
  call.rows = kRows;
  call.width = call.row_stride = kWidth;
  call.x = numbers(x);
  call.sums = numbers(sums);
  EXPECT_THROW(column_sums(call), Error);
}

}  // namespace
}  // namespace dietmt::counting
