#include "encoders/ops/linear.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace dietmt::encoders {
namespace {

struct Layer {
  at::Tensor x, weight, bias;

  std::vector<at::Tensor> output_and_gradients(const at::Tensor& y) const {
    const at::Tensor weights = at::arange(y.numel(), y.options()).sin().view_as(y);
    std::vector<at::Tensor> results =
        torch::autograd::grad({(y * weights).sum()}, {x, weight, bias});
    results.push_back(y);
    return results;
  }
};

Layer make_layer(int64_t rows, int64_t inputs, int64_t outputs, at::ScalarType type) {
  at::manual_seed(5);
  const auto random = [&](at::IntArrayRef sizes) {
    return at::randn(sizes, at::kDouble).mul_(0.1).to(type).requires_grad_(true);
  };
  return {random({rows, inputs}), random({outputs, inputs}), random({outputs})};
}

void expect_equal_to_aten(const Layer& layer, double tolerance) {
  const auto own = layer.output_and_gradients(linear_layer(layer.x, layer.weight, layer.bias));
  const auto aten = layer.output_and_gradients(at::linear(layer.x, layer.weight, layer.bias));
  for (size_t n = 0; n < own.size(); ++n)
    EXPECT_LE((own[n] - aten[n]).abs().max().item<double>(), tolerance) << n;
}

TEST(LinearLayer, EqualsAtens) {
  for (const auto& [rows, inputs, outputs] :
       {std::tuple{77, 512, 1024}, {77, 1024, 512}, {300, 32, 48}, {64, 7, 1}, {1000, 1, 3}})
    expect_equal_to_aten(make_layer(rows, inputs, outputs, at::kFloat), 1e-4);
}

TEST(LinearLayer, FewRowsAndOtherTypesAreAtens) {
  expect_equal_to_aten(make_layer(10, 32, 48, at::kFloat), 0.0);
  expect_equal_to_aten(make_layer(100, 512, 512, at::kDouble), 0.0);
}

// The same numbers in fp64, and in bf16 with fp32 weights: rounded; gradients of weights in fp32.
// 48 inputs and 7 outputs are sizes that use LibTorch's products.
TEST(LinearLayer, InBf16IsRounded) {
  for (const auto& [rows, inputs, outputs] :
       {std::tuple{77, 64, 130}, {3, 32, 8}, {300, 128, 64}, {50, 48, 30}, {50, 64, 7}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << inputs << " x " << outputs);
    for (const bool relu : {false, true}) {
      at::manual_seed(6);
      const auto random = [](at::IntArrayRef sizes) {
        return at::randn(sizes).to(at::kBFloat16).to(at::kDouble).requires_grad_(true);
      };
      const std::vector<at::Tensor> exact = {random({rows, inputs}), random({outputs, inputs}),
                                             random({outputs}), random({inputs, outputs}),
                                             random({inputs})};
      std::vector<at::Tensor> narrow = {exact[0].detach().to(at::kBFloat16)};
      for (size_t n = 1; n < exact.size(); ++n) narrow.push_back(exact[n].detach().to(at::kFloat));
      for (at::Tensor& input : narrow) input.requires_grad_(true);
      // A block and its residual connection.
      const auto results = [&](const std::vector<at::Tensor>& in) {
        const BranchAndResidual both =
            relu ? relu_network(in[0], {in[1], in[2]}, {in[3], in[4]})
                 : linear_branch(in[0], in[1], in[2], Epilogue::kLeaveBias);
        EXPECT_FALSE(both.branch.bias.defined());
        const at::Tensor &y = both.branch.rows, &x = both.x;
        at::manual_seed(7);
        const auto weights = [](const at::Tensor& like) {
          return at::randn(like.sizes()).to(at::kBFloat16).to(like.scalar_type());
        };
        const size_t used = relu ? in.size() : 3;
        std::vector<at::Tensor> all =
            torch::autograd::grad({y, x}, {in.begin(), in.begin() + static_cast<int64_t>(used)},
                                  {weights(y), weights(x)});
        all.push_back(y);
        return all;
      };
      const std::vector<at::Tensor> found = results(narrow), expected = results(exact);
      for (size_t n = 0; n < found.size(); ++n) {
        const bool is_rounded = n == 0 || n + 1 == found.size();
        EXPECT_EQ(found[n].scalar_type(), is_rounded ? at::kBFloat16 : at::kFloat) << n;
        const at::Tensor error = found[n].to(at::kDouble) - expected[n];
        EXPECT_LE((error.norm() / expected[n].norm()).item<double>(), 0.01) << n;
      }
    }
  }
}

TEST(LinearLayer, WorksWithoutGradientsOfTheInput) {
  Layer layer = make_layer(90, 512, 512, at::kFloat);
  const at::Tensor x = layer.x.detach();
  const auto own = torch::autograd::grad({linear_layer(x, layer.weight, layer.bias).sum()},
                                         {layer.weight, layer.bias});
  const auto aten = torch::autograd::grad({at::linear(x, layer.weight, layer.bias).sum()},
                                          {layer.weight, layer.bias});
  for (size_t n = 0; n < own.size(); ++n)
    EXPECT_LE((own[n] - aten[n]).abs().max().item<double>(), 1e-4) << n;
}

TEST(LinearLayer, GivesTheSameBitsAgain) {
  const Layer layer = make_layer(300, 512, 512, at::kFloat);
  EXPECT_TRUE(at::equal(linear_layer(layer.x, layer.weight, layer.bias),
                        linear_layer(layer.x, layer.weight, layer.bias)));
}

// The largest differences of output and gradients from ATen's operations.
void expect_network_equals_aten(int64_t rows, at::ScalarType type, bool input_has_gradient) {
  const Layer inner = make_layer(rows, 96, 130, type);
  const Layer outer = make_layer(rows, 130, 96, type);
  const at::Tensor x = inner.x.detach().requires_grad_(input_has_gradient);
  std::vector<at::Tensor> inputs = {inner.weight, inner.bias, outer.weight, outer.bias};
  if (input_has_gradient) inputs.push_back(x);
  const auto results = [&](const at::Tensor& y) {
    const at::Tensor weights = at::arange(y.numel(), y.options()).sin().view_as(y);
    std::vector<at::Tensor> all = torch::autograd::grad({(y * weights).sum()}, inputs);
    all.push_back(y);
    return all;
  };
  const auto own =
      results(relu_network(x, {inner.weight, inner.bias}, {outer.weight, outer.bias}).branch.rows);
  const auto aten = results(
      at::linear(at::relu(at::linear(x, inner.weight, inner.bias)), outer.weight, outer.bias));
  for (size_t n = 0; n < own.size(); ++n)
    EXPECT_LE((own[n] - aten[n]).abs().max().item<double>(), 1e-5) << n;
}

TEST(ReluNetwork, EqualsAtens) {
  for (const int64_t rows : {10, 64, 300}) {
    expect_network_equals_aten(rows, at::kFloat, true);
    expect_network_equals_aten(rows, at::kFloat, false);
  }
  expect_network_equals_aten(100, at::kDouble, true);
}

}  // namespace
}  // namespace dietmt::encoders
