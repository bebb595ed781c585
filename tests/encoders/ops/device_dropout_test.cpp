// The keys and masks of dropout on the counting device.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "common/error.h"
#include "encoders/ops/fused_ops.h"
#include "tests/counting_device/counting_device.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using counting::counting_device;

constexpr uint64_t kKeys[] = {0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xfedcba9876543210};

Tensor place_for(uint64_t key) { return DropoutKeys(key).on_device(counting_device()); }

/// The mask of a pass's third site.
Tensor mask(DropoutKeys keys, at::Device device) {
  for (int i = 0; i < 2; ++i) keys.next(0.5);
  return dropout_mask_like(at::empty({31, 65}, device), keys.next(0.3));
}

void expect_masks_of_the_cpu() {
  for (const uint64_t key : kKeys) {
    const Tensor expected = mask(DropoutKeys(key), at::kCPU);
    const Tensor place = place_for(key);
    counting::reset_counts();
    const Tensor copied = mask(DropoutKeys(key), counting_device());
    EXPECT_EQ(counting::counts().host_to_device, 1);
    const Tensor given = mask(DropoutKeys(place), counting_device());
    EXPECT_EQ(counting::counts().host_to_device, 1);
    EXPECT_EQ(counting::counts().waits, 0);
    EXPECT_TRUE(at::equal(copied.cpu(), expected)) << key;
    EXPECT_TRUE(at::equal(given.cpu(), expected)) << key;
  }
}

TEST(DeviceDropout, MasksOfKernelsAreThoseOfTheCpu) {
  counting_device();
  expect_masks_of_the_cpu();
}

TEST(DeviceDropout, MasksByTensorAlgebraAreThoseOfTheCpu) {
  counting_device();
  const kernels::DeviceKernels none;
  const counting::OtherKernels other(none);
  expect_masks_of_the_cpu();
}

TEST(DeviceDropout, MasksOfProbabilitiesAreThoseOfTheCpu) {
  for (const uint64_t key : kKeys) {
    const auto mask_on = [&](at::Device device) {
      return probability_dropout_mask({2, 3, 5, 33}, at::empty({0}, device),
                                      DropoutKeys(key).next(0.3));
    };
    EXPECT_TRUE(at::equal(mask_on(counting_device()).cpu(), mask_on(at::kCPU))) << key;
  }
}

TEST(DeviceDropout, SitesOfAPassShareOneKey) {
  const Tensor x = torch::ones({4, 8}).to(counting_device());
  DropoutKeys keys(7);
  counting::reset_counts();
  const Tensor first = dropout(x, keys.next(0.5));
  DropoutKeys same_keys = keys;  // as for recomputation
  const Tensor second = dropout(x, keys.next(0.5)), again = dropout(x, same_keys.next(0.5));
  EXPECT_EQ(counting::counts().host_to_device, 1);
  EXPECT_EQ(counting::counts().launches, 3);
  EXPECT_FALSE(at::equal(first.cpu(), second.cpu()));
  EXPECT_TRUE(at::equal(second.cpu(), again.cpu()));
}

TEST(DeviceDropout, AKeyInATensorStaysOnItsDevice) {
  EXPECT_THROW(DropoutKeys(at::scalar_tensor(1, at::kLong)), Error);
  EXPECT_THROW(DropoutKeys(at::zeros({1}, at::kLong).to(counting_device())), Error);
  EXPECT_THROW(DropoutKeys(at::scalar_tensor(1.0).to(counting_device())), Error);
  EXPECT_THROW(dropout(torch::ones({4}), DropoutKeys(place_for(1)).next(0.5)), Error);
}

TEST(DeviceDropout, BackwardRefusesAKeyThatHasChanged) {
  const Tensor x = torch::ones({4, 8}).to(counting_device()).requires_grad_(true);
  const Tensor place = place_for(1);
  const Tensor y = dropout(x, DropoutKeys(place).next(0.5));
  place.fill_(2);
  EXPECT_THROW(y.sum().backward(), c10::Error);
}

}  // namespace
}  // namespace dietmt::encoders
