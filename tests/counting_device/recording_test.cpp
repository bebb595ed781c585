#include "tests/counting_device/recording.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <optional>

#include "common/error.h"
#include "tests/counting_device/counting_device.h"

namespace dietmt::counting {
namespace {

using at::Tensor;
using testing::HasSubstr;

constexpr auto kFloats = at::kFloat;

Tensor moved(const Tensor& numbers) { return numbers.to(counting_device()); }

std::unique_ptr<encoders::DeviceGraph> recorded(const std::function<void()>& work) {
  return encoders::graphs_of(counting_device())->record(work);
}

TEST(RecordedGraphs, AReplayDoesTheWorkOnWhatTheMemoryHoldsNow) {
  const Tensor x = moved(at::tensor({1.0f, 2.0f, 3.0f}));
  const Tensor sum = moved(at::zeros({3}, kFloats));
  Tensor doubled, largest;
  const auto graph = recorded([&] {
    doubled = x * 2.0;
    sum.add_(doubled);
    largest = std::get<0>((doubled - 1.0).topk(1));
  });
  EXPECT_EQ(sum.cpu().sum().item<float>(), 0.0f) << "recording must not change what was there";
  EXPECT_TRUE(doubled.cpu().isnan().all().item<bool>()) << "recording must not compute results";
  reset_counts();
  graph->replay();
  EXPECT_EQ(counts().launches, 1);
  EXPECT_EQ(counts().in_graphs, 5) << "topk() takes two";
  EXPECT_EQ(counts().waits, 0);
  EXPECT_TRUE(at::equal(sum.cpu(), at::tensor({2.0f, 4.0f, 6.0f})));
  EXPECT_EQ(largest.cpu().item<float>(), 5.0f);
  x.fill_(10.0);
  graph->replay();
  EXPECT_TRUE(at::equal(sum.cpu(), at::tensor({22.0f, 24.0f, 26.0f})));
  EXPECT_EQ(doubled.cpu()[0].item<float>(), 20.0f);
}

// Temporary memory is not reused by others, and its content is gone in the next replay.
TEST(RecordedGraphs, KeepTheMemoryOfTheirWork) {
  const Tensor x = moved(at::ones({300}, kFloats));
  Tensor result;
  const auto graph = recorded([&] { result = ((x + 1.0) * 3.0).sum(); });
  const Tensor others = moved(at::zeros({300}, kFloats));
  graph->replay();
  EXPECT_EQ(result.cpu().item<float>(), 1800.0f);
  EXPECT_EQ(others.cpu().count_nonzero().item<int64_t>(), 0);
}

// Graphs of one pool share temporary memory; memory that still has an owner is not shared.
TEST(RecordedGraphs, ShareWhatTheirWorkFrees) {
  const Tensor x = moved(at::ones({3000}, kFloats));
  const auto graphs = encoders::graphs_of(counting_device());
  Tensor first_result, second_result;
  const auto first = graphs->record([&] { first_result = ((x + 1.0) * 2.0).sum(); });
  const int64_t before = allocated_bytes();
  const auto second = graphs->record([&] { second_result = ((x + 2.0) * 3.0).sum(); });
  EXPECT_LT(allocated_bytes() - before, 3000) << "only the sum needs memory";
  for (int i = 0; i < 2; ++i) {
    first->replay();
    second->replay();
  }
  EXPECT_EQ(first_result.cpu().item<float>(), 12000.0f);
  EXPECT_EQ(second_result.cpu().item<float>(), 27000.0f);
}

TEST(RecordedGraphs, GiveTheirMemoryBack) {
  const Tensor x = moved(at::ones({300}, kFloats));
  const int64_t before = allocated_bytes();
  Tensor result;
  auto graph = recorded([&] { result = (x + 1.0).exp(); });
  result.reset();
  EXPECT_GT(allocated_bytes(), before);
  graph.reset();
  EXPECT_EQ(allocated_bytes(), before);
}

TEST(RecordedGraphs, RefuseWhatADeviceCannotRecord) {
  const Tensor x = moved(at::ones({4}, kFloats));
  const auto message = [](const std::function<void()>& work) -> std::string {
    try {
      recorded(work);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([&] { x.sum().item<float>(); }), HasSubstr("cannot"));
  EXPECT_THAT(message([&] { x.cpu(); }), HasSubstr("copy to or from the host"));
  EXPECT_THAT(message([&] { moved(at::ones({4})); }), HasSubstr("copy to or from the host"));
  EXPECT_THAT(message([&] { recorded([] {}); }), HasSubstr("record a graph"));
  EXPECT_FALSE(is_recording()) << "an error ends the recording";
  EXPECT_EQ(x.cpu().sum().item<float>(), 4.0f);
}

TEST(RecordedGraphs, NoticeThatTheirInputsHaveGone) {
  std::optional<Tensor> x = moved(at::ones({4}, kFloats));
  const Tensor sum = moved(at::zeros({4}, kFloats));
  const auto graph = recorded([&] { sum.add_(*x); });
  x.reset();
  const Tensor another = moved(at::ones({4}, kFloats));  // takes the same memory
  EXPECT_THROW(graph->replay(), Error);
}

}  // namespace
}  // namespace dietmt::counting
