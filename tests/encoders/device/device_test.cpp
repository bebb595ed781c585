#include "encoders/device/device.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "common/error.h"
#include "tests/common/log_capture.h"
#include "tests/common/test_directory.h"

namespace dietmt::encoders {
namespace {

using ::testing::HasSubstr;

std::string problem_of(const std::string& name) {
  return message_of<ConfigError>([&] { parse_device(name); });
}

TEST(DeviceTest, TheProcessorIsAlwaysThere) { EXPECT_TRUE(parse_device("cpu").is_cpu()); }

TEST(DeviceTest, AGpuThatIsNotThereIsNamedWithTheNumberOfThose) {
  EXPECT_THAT(problem_of("cuda:99"), HasSubstr("--device cuda:99: LibTorch sees"));
}

TEST(DeviceTest, OtherNamesAreRefusedWithThoseThatAreAllowed) {
  for (const std::string name : {"", "gpu", "cuda:", "cuda:x", "cpu:y", "meta"})
    EXPECT_EQ(problem_of(name), "--device is '" + name + "'; it must be cpu, cuda or cuda:I");
}

TEST(DeviceTest, SeveralGpusAreNamedOnceEach) {
  EXPECT_EQ(parse_devices("cpu").size(), 1U);
  const auto problem = [](const std::string& names) {
    return message_of<ConfigError>([&] { parse_devices(names); });
  };
  EXPECT_EQ(problem("cpu,cpu"), "--device names cpu twice");
  EXPECT_THAT(problem("cpu,cuda:99"), HasSubstr("--device cuda:99: LibTorch sees"));
  for (const std::string names : {"", "cpu,"})
    EXPECT_EQ(problem(names), "--device is ''; it must be cpu, cuda or cuda:I");
}

class NoGraphs : public DeviceGraphs {
 public:
  c10::Device device() const override { return {c10::kPrivateUse1, 0}; }
  std::unique_ptr<DeviceGraph> record(const std::function<void()>&) override { return nullptr; }
};

/// Only device 0 can run the kernels.
DeviceBackend backend_with_old_devices(const kernels::DeviceKernels& kernels) {
  DeviceBackend backend;
  backend.kernels = &kernels;
  backend.graphs = [](c10::Device) -> std::unique_ptr<DeviceGraphs> {
    return std::make_unique<NoGraphs>();
  };
  backend.reason_against = [](c10::Device device) -> std::string {
    return device.index() == 0 ? "" : "it is too old";
  };
  return backend;
}

TEST(DeviceTest, OnlyDevicesThatCanRunThemHaveKernelsAndGraphs) {
  const kernels::DeviceKernels kernels;
  register_device_backend(c10::kPrivateUse1, backend_with_old_devices(kernels));
  const LogCapture log;
  const c10::Device young(c10::kPrivateUse1, 0), old(c10::kPrivateUse1, 1);
  EXPECT_EQ(device_kernels(young), &kernels);
  EXPECT_EQ(reason_for_no_kernels(young), "");
  EXPECT_NE(graphs_of(young), nullptr);
  EXPECT_EQ(log.text(), "");
  EXPECT_EQ(device_kernels(old), nullptr);
  EXPECT_EQ(reason_for_no_kernels(old), "it is too old");
  EXPECT_EQ(graphs_of(old), nullptr);
  EXPECT_THAT(log.text(), HasSubstr("without dietmt's kernels, which is slower: it is too old"));
  EXPECT_EQ(std::ranges::count(log.text(), '\n'), 1);
  register_device_backend(c10::kPrivateUse1, {});
}

TEST(DeviceTest, ThreadsAreAtMostTheCoresOrSixteen) {
  const int before = at::get_num_threads();
  const int64_t cores = std::thread::hardware_concurrency();
  EXPECT_EQ(set_threads(0), cores);
  EXPECT_EQ(set_threads(3), 3);
  EXPECT_EQ(at::get_num_threads(), 3);
  EXPECT_EQ(set_threads(100'000), std::max<int64_t>(cores, 16));
  set_threads(before);
}

}  // namespace
}  // namespace dietmt::encoders
