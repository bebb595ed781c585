// The counting device itself: results, counts, waits and refusals.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>

#include "common/error.h"
#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/launch_rules.h"

namespace dietmt::counting {
namespace {

using at::Tensor;
using testing::HasSubstr;

Tensor numbers(at::IntArrayRef sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return at::arange(count, at::kFloat).mul(0.7).sin().view(sizes);
}

Counts counts_of(const std::function<void()>& work) {
  reset_counts();
  work();
  return counts();
}

void expect_same(const Tensor& on_device, const Tensor& expected) {
  ASSERT_EQ(on_device.device(), counting_device());
  EXPECT_TRUE(at::allclose(on_device.cpu(), expected, 1e-5, 1e-6));
}

TEST(CountingDevice, ComputesWhatTheCpuComputes) {
  const Tensor a = numbers({4, 6}), b = numbers({6, 5}), c = numbers({5});
  const Tensor da = a.to(counting_device()), db = b.to(counting_device());
  const Tensor dc = c.to(counting_device());
  expect_same(at::addmm(dc, da, db).relu().mul(2), at::addmm(c, a, b).relu().mul(2));
  expect_same(at::softmax(da, -1), at::softmax(a, -1));
  expect_same(da.transpose(0, 1).contiguous(), a.transpose(0, 1).contiguous());
  expect_same(at::cat({da, da.narrow(0, 1, 2)}), at::cat({a, a.narrow(0, 1, 2)}));
  expect_same(at::layer_norm(da, {6}), at::layer_norm(a, {6}));
  expect_same(da.to(at::kBFloat16).to(at::kFloat), a.to(at::kBFloat16).to(at::kFloat));
  expect_same(std::get<0>(da.topk(3)), std::get<0>(a.topk(3)));
  expect_same(at::arange(7, da.options()), at::arange(7, at::kFloat));
  expect_same(at::matmul(da.view({2, 2, 6}), db), at::matmul(a.view({2, 2, 6}), b));
}

TEST(CountingDevice, HasGradients) {
  const auto gradient = [](at::Device device) {
    const Tensor weight = numbers({6, 5}).to(device).requires_grad_(true);
    const Tensor x = numbers({4, 6}).to(device);
    at::log_softmax(at::gelu(at::mm(x, weight)), -1).pow(2).sum().backward();
    return weight.grad();
  };
  expect_same(gradient(counting_device()), gradient(at::kCPU));
}

TEST(CountingDevice, UpdatesInPlaceAndThroughViews) {
  const Tensor x = numbers({4, 6});
  Tensor on_device = x.to(counting_device());
  on_device.narrow(0, 1, 2).add_(1);
  on_device[0].zero_();
  on_device.index_put_({at::tensor({3}).to(counting_device())},
                       at::full({6}, 5.0, on_device.options()));
  Tensor expected = x.clone();
  expected.narrow(0, 1, 2).add_(1);
  expected[0].zero_();
  expected[3].fill_(5.0);
  expect_same(on_device, expected);
}

TEST(CountingDevice, CountsLaunchesButNoViews) {
  const Tensor x = numbers({8, 6}).to(counting_device());
  const Counts views = counts_of([&] {
    x.view({6, 8}).transpose(0, 1).unsqueeze(0).expand({2, 8, 6}).narrow(1, 2, 3).detach();
    x.split(2);
    x.t().select(0, 1).reshape({2, 4});
    at::empty_like(x);
  });
  EXPECT_EQ(views.launches, 0);
  EXPECT_EQ(counts_of([&] { x + x; }).launches, 1);
  EXPECT_EQ(counts_of([&] { x.add_(1).mul_(2); }).launches, 2);
  EXPECT_EQ(counts_of([&] { at::zeros_like(x); }).launches, 1);
  EXPECT_EQ(counts_of([&] { at::mm(x, x.t()); }).launches, 1);
  EXPECT_EQ(counts_of([&] { at::native_layer_norm(x, {6}, {}, {}, 1e-5); }).launches, 1);
  EXPECT_EQ(counts_of([&] { x.to(at::kBFloat16); }).launches, 1);
  EXPECT_EQ(
      counts_of([&] { at::mm(x.to(at::kBFloat16), x.to(at::kBFloat16).t(), at::kFloat); }).launches,
      3);
  const Tensor ids = at::tensor({1, 0, 3}).to(counting_device());
  EXPECT_EQ(counts_of([&] { at::embedding(x, ids); }).launches, 1);
}

TEST(CountingDevice, TakesManyTensorsInOneLaunch) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 150; ++i) tensors.push_back(numbers({3}).to(counting_device()));
  EXPECT_EQ(counts_of([&] { at::_foreach_mul_(tensors, 2.0); }).launches, 2);
  EXPECT_EQ(counts_of([&] { at::_foreach_norm(tensors); }).launches, 4);  // zeros, sums
  expect_same(tensors[149], numbers({3}) * 2);
  std::vector<Tensor> first, second, steps;
  for (const Tensor& tensor : tensors) {
    first.push_back(at::zeros_like(tensor));
    second.push_back(at::zeros_like(tensor));
    steps.push_back(at::ones({}, tensor.options()));
  }
  const Counts adam = counts_of([&] {
    at::_fused_adamw_(tensors, tensors, first, second, {}, steps, 0.1, 0.9, 0.98, 0.0, 1e-8, false,
                      false, {}, {});
  });
  EXPECT_EQ(adam.launches, 5);  // 36 tensors of four lists each
  EXPECT_EQ(adam.waits, 0);
}

// A launch handles 320 blocks of 65,536 numbers.
TEST(CountingDevice, SplitsLargeTensorsOverLaunches) {
  const std::vector<int64_t> large = {int64_t{65536} * 320 * 2, 1};
  EXPECT_EQ(multi_tensor_launches(large, 4), 3);
  const std::vector<int64_t> small(36, 65536);
  EXPECT_EQ(multi_tensor_launches(small, 4), 1);
}

TEST(CountingDevice, CountsCopiesAndWaits) {
  const Tensor host = numbers({4, 6});
  const Tensor pinned = host.pin_memory();
  ASSERT_TRUE(pinned.is_pinned());
  const Tensor device = host.to(counting_device());

  Counts counted = counts_of([&] { host.to(counting_device()); });
  EXPECT_EQ(counted.host_to_device, 1);
  EXPECT_EQ(counted.waits, 1);
  counted = counts_of([&] { host.to(counting_device(), /*non_blocking=*/true); });
  EXPECT_EQ(counted.waits, 1) << "memory that is not pinned must be staged";
  counted = counts_of([&] { pinned.to(counting_device(), /*non_blocking=*/true); });
  EXPECT_EQ(counted.host_to_device, 1);
  EXPECT_EQ(counted.waits, 0);
  counted = counts_of([&] { device.cpu(); });
  EXPECT_EQ(counted.device_to_host, 1);
  EXPECT_EQ(counted.waits, 1);
  counted = counts_of(
      [&] { at::empty_like(pinned, pinned.options().pinned_memory(true)).copy_(device, true); });
  EXPECT_EQ(counted.device_to_host, 1);
  EXPECT_EQ(counted.waits, 0);
  counted = counts_of([&] { device.clone(); });
  EXPECT_EQ(counted.device_to_device, 1);
  EXPECT_EQ(counted.waits, 0);
}

TEST(CountingDevice, CountsSynchronisingReads) {
  const Tensor x = numbers({4, 6}).to(counting_device());
  const Tensor mask = x > 0;
  EXPECT_EQ(counts_of([&] { x[0][0].item<float>(); }).waits, 1);
  EXPECT_EQ(counts_of([&] { x.nonzero(); }).waits, 1);
  EXPECT_EQ(counts_of([&] { x.masked_select(mask); }).waits, 1);
  EXPECT_EQ(counts_of([&] { x.index({mask}); }).waits, 1);
  EXPECT_EQ(counts_of([&] { at::equal(x, x); }).waits, 1);
  EXPECT_EQ(counts_of([&] { at::_unique2(x); }).waits, 1);
  EXPECT_EQ(counts_of([&] { x.index({at::tensor({1, 2})}); }).waits, 1) << "indices of the host";
  EXPECT_EQ(counts_of([&] { x.sum(); }).waits, 0);
  EXPECT_EQ(counts_of([&] { at::where(mask, x, 0.0); }).waits, 0);
  EXPECT_EQ(counts_of([&] { x.masked_fill(mask, 0.0); }).waits, 0);
}

TEST(CountingDevice, SaysWhereTheHostWaits) {
  const Tensor x = numbers({4}).to(counting_device());
  reset_counts();
  x.cpu();
  ASSERT_EQ(places_of_waits().size(), 1U);
  EXPECT_EQ(places_of_waits()[0].operation, "copy to the host");
}

void expect_error(const std::function<void()>& work, const std::string& part) {
  try {
    work();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(part));
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(CountingDevice, RefusesMixedDevices) {
  const Tensor host = numbers({4, 6});
  const Tensor device = host.to(counting_device());
  expect_error([&] { device.add(host); }, "cpu");
  expect_error([&] { at::mm(host, device.t()); }, "cpu");
  expect_error([&] { at::cat({device, host}); }, "cpu");
  EXPECT_NO_THROW(device.mul(at::scalar_tensor(2.0)));
}

TEST(CountingDevice, ComputesInBf16WithAutocast) {
  const Tensor x = numbers({4, 6}).to(counting_device());
  at::autocast::set_autocast_enabled(at::kPrivateUse1, true);
  at::autocast::set_autocast_dtype(at::kPrivateUse1, at::kBFloat16);
  const at::ScalarType type = at::mm(x, x.t()).scalar_type();
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kPrivateUse1, false);
  EXPECT_EQ(type, at::kBFloat16);
  EXPECT_EQ(at::mm(x, x.t()).scalar_type(), at::kFloat);
}

TEST(CountingDevice, LeavesResultsZeroWithoutComputing) {
  const Tensor x = numbers({4, 6}).to(counting_device());
  Tensor product, sum;
  {
    const WithoutComputing without;
    product = at::mm(x, x.t());
    sum = x + 1;
  }
  expect_same(product, at::zeros({4, 4}));
  expect_same(sum, at::zeros({4, 6}));
}

TEST(CountingDevice, KnowsItsMemory) {
  const int64_t before = allocated_bytes();
  reset_counts();
  {
    const Tensor x = at::empty({1 << 20}, at::TensorOptions(counting_device()).dtype(at::kFloat));
    EXPECT_EQ(allocated_bytes() - before, 4 << 20);
  }
  EXPECT_EQ(allocated_bytes(), before);
  EXPECT_EQ(peak_bytes() - before, 4 << 20);
}

TEST(CountingDeviceDeath, HostCodeCannotReadDeviceMemory) {
  const Tensor x = numbers({4}).to(counting_device());
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const volatile float y = x.const_data_ptr<float>()[2];
        (void)y;
      },
      "host code reads or writes memory of the counting device");
}

}  // namespace
}  // namespace dietmt::counting
