#include "training/optimization/parameter_rule.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "training/optimization/optimizer.h"

namespace dietmt::training {
namespace {

using at::Tensor;

struct Layer : torch::nn::Module {
  Layer() {
    at::manual_seed(2);
    const auto attention = register_module("attention", std::make_shared<torch::nn::Module>());
    matrix = attention->register_parameter("input_weight", torch::randn({6, 4}));
    table = register_parameter("source_embedding", torch::randn({5, 4}));
    vector = register_parameter("bias", torch::randn({4}));
  }
  Tensor loss() const {
    return (at::mm(matrix, matrix.t()).pow(2).sum() + table.pow(2).sum() + vector.pow(2).sum());
  }
  Tensor matrix, table, vector;
};

OptimizerOptions options_of(const std::string& type) {
  OptimizerOptions options;
  options.type = type;
  options.weight_decay = 0.1;
  return options;
}

// Shazeer and Stern 2018, algorithms 4 and 5, in the order of the paper.
TEST(ParameterRule, AdafactorStepsEqualTheAlgorithm) {
  Layer layer;
  Optimizer optimizer(layer, options_of("adafactor"));
  Tensor matrix = layer.matrix.detach().clone(), vector = layer.vector.detach().clone();
  Tensor rows = at::zeros({6}), columns = at::zeros({4}), squares = at::zeros({4});
  for (int t = 1; t <= 4; ++t) {
    optimizer.zero_gradients();
    layer.loss().backward();
    const double rate = 0.01 * t, beta = 1.0 - std::pow(t, -0.8);
    const auto clipped = [](const Tensor& u) {
      return u / std::max(1.0, std::sqrt(u.pow(2).mean().item<double>()));
    };
    const Tensor g = layer.matrix.grad();
    rows = beta * rows + (1.0 - beta) * (g * g).sum(1);
    columns = beta * columns + (1.0 - beta) * (g * g).sum(0);
    const Tensor v = at::outer(rows, columns) / rows.sum();
    matrix = matrix * (1.0 - rate * 0.1) - rate * clipped(g / v.sqrt());
    const Tensor h = layer.vector.grad();
    squares = beta * squares + (1.0 - beta) * h * h;
    vector = vector - rate * clipped(h / squares.sqrt());
    optimizer.step(rate);
    EXPECT_TRUE(at::allclose(layer.matrix, matrix, 1e-4, 1e-5)) << t;
    EXPECT_TRUE(at::allclose(layer.vector, vector, 1e-4, 1e-5)) << t;
  }
}

TEST(ParameterRule, OrthogonalMatricesHaveSimilarSingularValues) {
  at::manual_seed(3);
  for (const auto& [rows, columns] : {std::pair(20, 8), {8, 20}, {12, 12}}) {
    const Tensor x = torch::randn({rows, columns}), y = orthogonal(x);
    const Tensor values = at::linalg_svdvals(y);
    // Five iterations with these factors end between about 0.7 and 1.2.
    EXPECT_GT(values.min().item<double>(), 0.3);
    EXPECT_LT(values.max().item<double>(), 1.3);
    EXPECT_GT((x * y).sum().item<double>(), 0.0);
  }
}

TEST(ParameterRule, MuonStepsTheMatricesOfLayersAndAdamWTheRest) {
  Layer layer, other;
  Optimizer muon(layer, options_of("muon")), adamw(other, options_of("adamw"));
  for (int t = 1; t <= 3; ++t) {
    for (Layer* each : {&layer, &other}) {
      each->zero_grad();
      each->loss().backward();
    }
    const Tensor before = layer.matrix.detach().clone();
    muon.step(0.01);
    adamw.step(0.01);
    const Tensor step = before * (1.0 - 0.01 * 0.1) - layer.matrix;
    const Tensor values = at::linalg_svdvals(step) / (0.01 * 0.2 * std::sqrt(6.0));
    EXPECT_GT(values.min().item<double>(), 0.3);
    EXPECT_LT(values.max().item<double>(), 1.3);
    EXPECT_TRUE(at::equal(layer.table, other.table));
    EXPECT_TRUE(at::equal(layer.vector, other.vector));
  }
}

// All that an optimiser knows is in its state: one that replaces another before each update goes on
// with the same bits for every parameter.
TEST(Optimizer, StateBringsBackTheSameBits) {
  for (const char* type : {"adam", "adamw", "adafactor", "muon"}) {
    SCOPED_TRACE(type);
    Layer whole, parts;
    Optimizer optimizer(whole, options_of(type));
    auto resumed = std::make_unique<Optimizer>(parts, options_of(type));
    const auto update = [](Layer& layer, Optimizer& with, int t) {
      with.zero_gradients();
      if (t != 1) layer.loss().backward();
      if (t == 1) layer.table.pow(2).sum().backward();  // the others are not counted
      with.step(0.01);
    };
    for (int t = 0; t < 4; ++t) {
      update(whole, optimizer, t);
      update(parts, *resumed, t);
      const NamedTensors state = resumed->state();
      std::map<std::string, Tensor> stored;
      for (const auto& [name, tensor] : state) stored[name] = tensor.clone();
      ASSERT_EQ(stored.size(), state.size());
      resumed = std::make_unique<Optimizer>(parts, options_of(type));
      resumed->load_state(stored);
      EXPECT_TRUE(at::equal(whole.matrix, parts.matrix)) << t;
      EXPECT_TRUE(at::equal(whole.table, parts.table)) << t;
      EXPECT_TRUE(at::equal(whole.vector, parts.vector)) << t;
      for (const auto& [name, tensor] : resumed->state()) {
        EXPECT_TRUE(at::equal(tensor, stored.at(name))) << name;
        stored.erase(name);
      }
      EXPECT_TRUE(stored.empty()) << stored.begin()->first;
    }
    EXPECT_FALSE(at::equal(whole.vector, Layer().vector));
  }
}

TEST(ParameterRule, AdafactorKeepsNoMatrices) {
  Layer layer;
  const Optimizer optimizer(layer, options_of("adafactor"));
  for (const auto& [name, tensor] : optimizer.state()) EXPECT_LT(tensor.dim(), 2) << name;
}

}  // namespace
}  // namespace dietmt::training
