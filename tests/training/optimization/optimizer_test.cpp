#include "training/optimization/optimizer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cmath>

namespace dietmt::training {
namespace {

using at::Tensor;

// One matrix and one vector.
struct Toy : torch::nn::Module {
  Toy() {
    at::manual_seed(1);
    matrix = register_parameter("matrix", torch::randn({3, 4}));
    vector = register_parameter("vector", torch::randn({4}));
  }
  Tensor loss() const { return at::mm(matrix, matrix.t()).sum() + (vector * vector).sum(); }
  Tensor matrix, vector;
};

// Adam as plain formulas (Kingma and Ba 2015, algorithm 1).
struct PlainAdam {
  Tensor m, v;
  int64_t t = 0;
  Tensor step(const Tensor& x, const Tensor& gradient, const OptimizerOptions& o, double decay,
              double rate) {
    Tensor g = gradient;
    Tensor y = x;
    if (o.type == "adam") g = g + decay * x;
    if (o.type == "adamw") y = y * (1 - rate * decay);
    if (!m.defined()) m = at::zeros_like(x), v = at::zeros_like(x);
    ++t;
    m = o.beta1 * m + (1 - o.beta1) * g;
    v = o.beta2 * v + (1 - o.beta2) * g * g;
    const double c1 = 1 - std::pow(o.beta1, t), c2 = 1 - std::pow(o.beta2, t);
    return y - rate * (m / c1) / ((v / c2).sqrt() + o.epsilon);
  }
};

TEST(Optimizer, StepsEqualTheAlgorithm) {
  for (const char* type : {"adam", "adamw"}) {
    Toy toy;
    OptimizerOptions options;
    options.type = type;
    options.weight_decay = 0.1;
    Optimizer optimizer(toy, options);
    PlainAdam matrix_adam, vector_adam;
    for (int i = 0; i < 5; ++i) {
      optimizer.zero_gradients();
      toy.loss().backward();
      const Tensor matrix =
          matrix_adam.step(toy.matrix.detach(), toy.matrix.grad(), options, 0.1, 0.01);
      // Vectors have no weight decay.
      const Tensor vector =
          vector_adam.step(toy.vector.detach(), toy.vector.grad(), options, 0.0, 0.01);
      optimizer.step(0.01);
      EXPECT_TRUE(at::allclose(toy.matrix, matrix, 1e-5, 1e-6)) << type << " step " << i;
      EXPECT_TRUE(at::allclose(toy.vector, vector, 1e-5, 1e-6)) << type << " step " << i;
    }
  }
}

TEST(Optimizer, CountsTheUpdatesOfEachParameter) {
  Toy toy;
  const OptimizerOptions options;
  Optimizer optimizer(toy, options), restored(toy, options);
  PlainAdam matrix_adam, vector_adam;
  for (int i = 0; i < 5; ++i) {
    SCOPED_TRACE(i);
    toy.loss().backward();
    if (i == 1 || i == 3) toy.vector.mutable_grad().reset();
    const Tensor matrix =
        matrix_adam.step(toy.matrix.detach(), toy.matrix.grad(), options, 0.0, 0.01);
    Tensor vector = toy.vector.detach().clone();
    if (toy.vector.grad().defined())
      vector = vector_adam.step(toy.vector.detach(), toy.vector.grad(), options, 0.0, 0.01);
    Optimizer& used = i < 4 ? optimizer : restored;
    used.step(0.01);
    EXPECT_TRUE(at::allclose(toy.matrix, matrix, 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(toy.vector, vector, 1e-5, 1e-6));
    const NamedTensors state = used.state();
    restored.load_state({state.begin(), state.end()});
    used.zero_gradients();
  }
}

TEST(Optimizer, ScalesAndClipsTheGlobalNorm) {
  Toy toy;
  Optimizer optimizer(toy, {});
  toy.loss().backward();
  const double norm =
      at::cat({toy.matrix.grad().flatten(), toy.vector.grad()}).norm().item<double>();
  EXPECT_NEAR(optimizer.scale_and_clip(0.5, 0.0).item<double>(), 0.5 * norm, 1e-4);
  EXPECT_NEAR(optimizer.scale_and_clip(1.0, 0.25).item<double>(), 0.5 * norm, 1e-4);
  const double clipped =
      at::cat({toy.matrix.grad().flatten(), toy.vector.grad()}).norm().item<double>();
  EXPECT_NEAR(clipped, 0.25, 1e-5);
}

TEST(VectorNorm, KeepsItsDigitsHoweverTheNumbersAreCut) {
  at::manual_seed(3);
  const Tensor numbers = at::randn({20'000'000});
  double squares = 0;
  const float* x = numbers.const_data_ptr<float>();
  for (int64_t i = 0; i < numbers.numel(); ++i) squares += double{x[i]} * double{x[i]};
  const double norm = std::sqrt(squares);
  const auto found = [](const std::vector<Tensor>& tensors) {
    return vector_norm(tensors).item<double>();
  };
  EXPECT_NEAR(found({numbers}) / norm, 1.0, 1e-7);
  EXPECT_NEAR(found({numbers.narrow(0, 0, 7), numbers.narrow(0, 7, 19'999'993)}) / norm, 1.0, 1e-7);
  EXPECT_NEAR(found({numbers.view({4000, 5000}).t()}) / norm, 1.0, 1e-7);
  EXPECT_EQ(found({}), 0.0);
  EXPECT_TRUE(std::isnan(found({numbers, at::full({1}, std::nan(""))})));
}

TEST(MovingAverage, FollowsTheFormulaAndSwaps) {
  Toy toy;
  const Tensor before = toy.matrix.detach().clone();
  MovingAverage average(toy, 0.9);
  {
    const torch::NoGradGuard no_grad;
    toy.matrix.add_(1.0);
  }
  average.update(80);  // 81 / 90
  const Tensor trained = toy.matrix.detach().clone();
  {
    const WeightSwap swap(toy, &average.weights());
    EXPECT_TRUE(at::allclose(toy.matrix, before + 0.1, 1e-5, 1e-5));
  }
  EXPECT_TRUE(at::equal(toy.matrix, trained));
}

TEST(MovingAverage, SoonForgetsTheWeightsOfTheStart) {
  Toy toy;
  MovingAverage average(toy, 0.9999);
  const Tensor before = toy.matrix.detach().clone();
  {
    const torch::NoGradGuard no_grad;
    toy.matrix.add_(1.0);
  }
  double left = 1.0;  // share of the start in the average
  for (int64_t t = 1; t <= 100; ++t) {
    average.update(t);
    left *= (1.0 + static_cast<double>(t)) / (10.0 + static_cast<double>(t));
  }
  EXPECT_LT(left, 1e-6);
  const WeightSwap swap(toy, &average.weights());
  EXPECT_TRUE(at::allclose(toy.matrix, before + 1.0, 1e-5, 1e-5));
}

}  // namespace
}  // namespace dietmt::training
