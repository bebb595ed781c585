// Losses and gradients of the same step on two devices, and how far they are apart.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <map>
#include <string>

#include "encoders/ops/dropout_keys.h"
#include "training/loop/trainer.h"

namespace dietmt {

struct StepResult {
  double loss = 0.0;
  std::map<std::string, at::Tensor> gradients;  // on the CPU, of parameters that have one
};

/// The next batch of the task, with the dropout of `key`.
inline StepResult step_of(training::TrainingTask& task, uint64_t key) {
  task.model().zero_grad();
  encoders::DropoutKeys dropout(key);
  StepResult result;
  result.loss = task.accumulate_gradients(dropout).loss();
  for (const auto& item : task.model().named_parameters())
    if (item.value().grad().defined())
      result.gradients[item.key()] = item.value().grad().to(at::kCPU, at::kDouble);
  return result;
}

inline void expect_same_bits(const StepResult& actual, const StepResult& expected) {
  EXPECT_EQ(actual.loss, expected.loss);
  ASSERT_EQ(actual.gradients.size(), expected.gradients.size());
  for (const auto& [name, gradient] : expected.gradients)
    EXPECT_TRUE(at::equal(actual.gradients.at(name), gradient)) << name;
}

/// Losses are compared relative to the loss, each gradient relative to its own largest element or
/// to a thousandth of the largest of all: some gradients, such as those of key biases, are zero
/// except for rounding.
inline void expect_within(const StepResult& actual, const StepResult& expected, double tolerance) {
  const double loss_gap = std::abs(actual.loss - expected.loss) / std::abs(expected.loss);
  EXPECT_LE(loss_gap, tolerance);
  const auto largest = [](const at::Tensor& x) { return x.abs().max().item<double>(); };
  double scale = 0.0;
  for (const auto& [name, gradient] : expected.gradients)
    scale = std::max(scale, largest(gradient));
  ASSERT_GT(scale, 0.0);
  double gradient_gap = 0.0;
  for (const auto& [name, gradient] : expected.gradients) {
    ASSERT_TRUE(actual.gradients.contains(name)) << name;
    const double gap =
        largest(actual.gradients.at(name) - gradient) / std::max(largest(gradient), 1e-3 * scale);
    EXPECT_LE(gap, tolerance) << name;
    gradient_gap = std::max(gradient_gap, gap);
  }
  EXPECT_EQ(actual.gradients.size(), expected.gradients.size());
  // bench/gpu/run makes a table of these.
  testing::Test::RecordProperty("gap_loss", std::to_string(loss_gap * 1e6) + "e-6");
  testing::Test::RecordProperty("gap_gradient", std::to_string(gradient_gap * 1e6) + "e-6");
}

}  // namespace dietmt
