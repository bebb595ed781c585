// Updates on a device: equal to the CPU's, in few launches and without a wait.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "tests/counting_device/counting_device.h"
#include "training/optimization/optimizer.h"

namespace dietmt::training {
namespace {

using at::Tensor;
using counting::counting_device;

struct Layers : torch::nn::Module {
  Layers(int64_t pairs, at::Device device) {
    for (int64_t i = 0; i < pairs; ++i) {
      const std::string name = "layer" + std::to_string(i);
      register_parameter(name + "_weight", torch::randn({6, 4}).to(device));
      register_parameter(name + "_bias", torch::randn({4}).to(device));
    }
  }
};

// Matrices with names that Muon knows, and vectors.
struct ManyParameters : torch::nn::Module {
  ManyParameters(int64_t pairs, at::Device device) {
    at::manual_seed(5);
    register_module("attention", std::make_shared<Layers>(pairs, device));
  }

  void set_gradients(double size) {
    at::manual_seed(6);
    for (Tensor& parameter : parameters())
      parameter.mutable_grad() = (torch::randn(parameter.sizes()) * size).to(parameter.device());
  }
};

// Three updates, the second one clipped.
std::vector<Tensor> trained(const OptimizerOptions& options, at::Device device,
                            std::vector<double>& norms) {
  ManyParameters model(3, device);
  Optimizer optimizer(model, options);
  MovingAverage average(model, 0.9);
  std::vector<Tensor> device_norms;
  counting::reset_counts();
  int64_t update = 0;
  for (const double size : {0.1, 10.0, 0.2}) {
    model.set_gradients(size);
    device_norms.push_back(optimizer.scale_and_clip(0.5, 1.0));
    optimizer.step(0.01);
    average.update(++update);
  }
  if (!device.is_cpu()) {
    EXPECT_EQ(counting::counts().waits, 18);  // copies of the gradients made by the test
  }
  for (const Tensor& norm : device_norms) norms.push_back(norm.item<double>());
  std::vector<Tensor> all;
  for (const Tensor& parameter : model.parameters()) all.push_back(parameter.detach().cpu());
  for (const auto& [name, tensor] : average.weights()) all.push_back(tensor.cpu());
  return all;
}

TEST(DeviceOptimizer, UpdatesAsOnTheCpu) {
  for (const char* type : {"adam", "adamw", "adafactor", "muon"}) {
    OptimizerOptions options;
    options.type = type;
    options.weight_decay = 0.1;
    std::vector<double> expected_norms, norms;
    const std::vector<Tensor> expected = trained(options, at::kCPU, expected_norms);
    const std::vector<Tensor> found = trained(options, counting_device(), norms);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(at::allclose(found[i], expected[i], 1e-4, 1e-5)) << type << ' ' << i;
    for (size_t i = 0; i < norms.size(); ++i)
      EXPECT_NEAR(norms[i], expected_norms[i], 1e-5 * expected_norms[i]) << type;
  }
}

void expect_no_change_by(double broken, const std::string& type) {
  OptimizerOptions options;
  options.type = type;
  options.weight_decay = 0.1;
  ManyParameters model(2, counting_device());
  Optimizer optimizer(model, options);
  model.set_gradients(1.0);
  optimizer.scale_and_clip(0.5, 1.0);
  optimizer.step(0.01);
  const auto now = [&] {
    std::vector<std::pair<std::string, Tensor>> all;
    for (const auto& item : model.named_parameters())
      all.emplace_back(item.key(), item.value().detach().cpu().clone());
    for (const auto& [name, tensor] : optimizer.state())
      if (!name.ends_with(".step")) all.emplace_back(name, tensor.cpu().clone());
    return all;
  };
  const auto before = now();
  model.set_gradients(1.0);
  model.parameters()[1].mutable_grad()[2] = broken;
  const Tensor norm = optimizer.scale_and_clip(0.5, 1.0);
  optimizer.step(0.01);
  EXPECT_FALSE(std::isfinite(norm.item<double>()));
  const auto after = now();
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(at::equal(after[i].second, before[i].second)) << type << ' ' << before[i].first;
}

TEST(DeviceOptimizer, ABrokenGradientChangesNothing) {
  for (const char* type : {"adam", "adamw", "adafactor", "muon"})
    for (const double broken : {std::nan(""), std::numeric_limits<double>::infinity()})
      expect_no_change_by(broken, type);
}

// As many tensors as in `base`, 6 encoder and 6 decoder layers.
TEST(DeviceOptimizer, LaunchesLittleForManyParameters) {
  ManyParameters model(128, counting_device());
  Optimizer optimizer(model, {});
  model.set_gradients(1.0);
  counting::reset_counts();
  optimizer.scale_and_clip(1e-4, 1.0);
  optimizer.step(0.01);
  optimizer.zero_gradients();
  const counting::Counts counts = counting::counts();
  EXPECT_EQ(counts.waits, 0);
  EXPECT_EQ(counts.host_to_device, 0);
  EXPECT_LE(counts.launches, 22);
}

}  // namespace
}  // namespace dietmt::training
