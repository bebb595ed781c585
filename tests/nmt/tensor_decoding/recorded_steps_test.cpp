#include "nmt/tensor_decoding/recorded_steps.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "encoders/device/device_graphs.h"

namespace dietmt::nmt {
namespace {

// Graphs that run their work in each replay, and count.
struct Counts {
  int64_t recorded = 0, replayed = 0;
};

class CountedGraphs : public encoders::DeviceGraphs {
 public:
  /// `lacks`: how many recordings, from the first, fail for lack of memory.
  explicit CountedGraphs(Counts& counts, bool fails = false, int64_t lacks = 0)
      : counts_(counts), fails_(fails), lacks_(lacks) {}

  c10::Device device() const override { return at::kCPU; }

  std::unique_ptr<encoders::DeviceGraph> record(const std::function<void()>& work) override {
    struct Graph : encoders::DeviceGraph {
      Graph(Counts& all, std::function<void()> what) : counts(all), work(std::move(what)) {}
      void replay() override {
        ++counts.replayed;
        work();
      }
      Counts& counts;
      std::function<void()> work;
    };
    TORCH_CHECK_WITH(OutOfMemoryError, lacks_-- <= 0, "full");
    if (fails_) throw std::runtime_error("no graphs today");
    ++counts_.recorded;
    return std::make_unique<Graph>(counts_, work);
  }

 private:
  Counts& counts_;
  bool fails_;
  int64_t lacks_;
};

TEST(RecordedSteps, SizesLeaveAtMostAThirdIdle) {
  EXPECT_EQ(RecordedSteps::size_for(1), 1);
  EXPECT_EQ(RecordedSteps::size_for(3), 3);
  EXPECT_EQ(RecordedSteps::size_for(5), 6);
  EXPECT_EQ(RecordedSteps::size_for(7), 8);
  EXPECT_EQ(RecordedSteps::size_for(100), 128);
  for (int64_t n = 1; n < 2000; ++n) {
    const int64_t size = RecordedSteps::size_for(n);
    EXPECT_GE(size, n);
    EXPECT_LE(size - n, size / 3) << n;
    EXPECT_EQ(RecordedSteps::size_for(size), size);
    const int64_t largest = RecordedSteps::largest_size(n);
    EXPECT_LE(largest, n);
    EXPECT_EQ(RecordedSteps::size_for(largest), largest);
    EXPECT_GT(RecordedSteps::size_for(largest + 1), n) << n;
  }
}

TEST(RecordedSteps, RecordASizeWhenItComesAgainAndForgetItWhenTensorsMove) {
  Counts counts;
  CountedGraphs graphs(counts);
  RecordedSteps steps(&graphs);
  int64_t next = 0;
  const auto step = [&](int64_t size, int64_t moves) {
    steps.run(size, moves, [&] { return at::scalar_tensor(++next); });
  };
  step(4, 0);
  EXPECT_EQ(counts.recorded, 0);
  step(4, 0);
  step(4, 0);
  EXPECT_EQ(counts.recorded, 1);
  EXPECT_EQ(counts.replayed, 2);
  step(6, 0);
  step(4, 0);
  EXPECT_EQ(counts.recorded, 1);
  step(4, 1);
  EXPECT_EQ(counts.replayed, 3);
  step(4, 1);
  EXPECT_EQ(counts.recorded, 2);
}

TEST(RecordedSteps, RecordAgainIfMemoryWasMissing) {
  for (const int64_t lacks : {1, 2}) {
    Counts counts;
    CountedGraphs graphs(counts, false, lacks);
    RecordedSteps steps(&graphs);
    for (int i = 0; i < 3; ++i) steps.run(6, 0, [] { return at::scalar_tensor(1); });
    EXPECT_EQ(counts.replayed, lacks == 1 ? 2 : 0);
    EXPECT_EQ(steps.size_of(5), lacks == 1 ? 6 : 5);
  }
}

TEST(RecordedSteps, GoOnWithoutGraphsIfTheDeviceCannotRecord) {
  Counts counts;
  CountedGraphs graphs(counts, /*fails=*/true);
  RecordedSteps steps(&graphs);
  EXPECT_EQ(steps.size_of(5), 6);
  int64_t runs = 0;
  for (int i = 0; i < 3; ++i) steps.run(6, 0, [&] { return at::scalar_tensor(++runs); });
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(steps.size_of(5), 5) << "nothing is filled up then";
}

}  // namespace
}  // namespace dietmt::nmt
