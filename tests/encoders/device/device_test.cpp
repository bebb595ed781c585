#include "encoders/device/device.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "common/error.h"
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
