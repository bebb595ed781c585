// What only the host can vary: the order of threads, copies and products. Also the kernel with
// mma.sync beside that of sm_90a.
#include <gtest/gtest.h>

#include <cstring>

#include "kernels/cuda/attention_forward.cuh"
#include "kernels/cuda/sm90/attention_forward.cuh"
#include "tests/kernels/attention_case.h"
#include "tests/kernels/cuda/sm90/runner.h"

namespace dietmt::kernels {
namespace {

template <typename Block>
void launch(const AttentionForward& call, const typename Block::Arguments& arguments,
            const HostSchedule& schedule) {
  run_on_host(
      forward_grid(call.sizes), static_cast<size_t>(Block::shared_bytes(arguments)), schedule,
      [&](BlockIndex block, char* shared) { Block::run(arguments, block, shared); },
      block_threads<Block>());
}

template <typename E, int kWidth, TermClass kTerms>
void run(const AttentionForward& call, const HostSchedule& schedule) {
  launch<WarpgroupForwardBlock<E, kWidth, kTerms>>(call, plan_warpgroup_forward(call), schedule);
}

template <typename E, int kWidth>
void run(const AttentionForward& call, const HostSchedule& schedule) {
  if (term_class(call.terms.tables) == TermClass::kPlain) {
    return run<E, kWidth, TermClass::kPlain>(call, schedule);
  }
  run<E, kWidth, TermClass::kOffsetBias>(call, schedule);
}

/// By the kernel of sm_90a.
void run(const AttentionForward& call, const HostSchedule& schedule) {
  const auto reasons = reasons_against_warpgroup_forward(call);
  ASSERT_TRUE(reasons.empty()) << reasons.front();
  const bool wide = kernel_width(call.sizes.head_width) == 128;
  if (call.sizes.type == ElementType::kHalf) {
    return wide ? run<Half, 128>(call, schedule) : run<Half, 64>(call, schedule);
  }
  wide ? run<BFloat16, 128>(call, schedule) : run<BFloat16, 64>(call, schedule);
}

std::vector<NamedValues> results_of(const AttentionCaseOptions& options,
                                    const HostSchedule& schedule) {
  Arena arena(allocate_shared);
  AttentionCase attention(options, arena);
  run(attention.forward(), schedule);
  std::vector<NamedValues> results = attention.results();
  results.resize(2);  // output and log_normalizer
  return results;
}

}  // namespace

void run_warpgroup_forward(const AttentionForward& call) { run(call, {.workers = 2, .order = 1}); }

namespace {

// More tiles than stages, full and partial ones, and warpgroups that see different numbers of keys.
TEST(Sm90ForwardHostTest, OrderOfThreadsCopiesAndProductsDoesNotMatter) {
  for (const int64_t width : {64, 128}) {
    const AttentionCaseOptions options{.name = "stream",
                                       .width = width,
                                       .terms = width == 64 ? 0U : kOffsetBias,
                                       .queries = {300, 40},
                                       .causal = width == 64,
                                       .heads = 1};
    const auto in_order = results_of(options, {});
    for (const uint64_t order : {1, 2, 3, 4, 5}) {
      const auto shuffled = results_of(options, {.order = order});
      for (size_t i = 0; i < in_order.size(); ++i) {
        EXPECT_EQ(shuffled[i].values, in_order[i].values) << in_order[i].name << " " << order;
      }
    }
  }
}

TEST(Sm90ForwardHostTest, AgreesWithTheKernelWithMmaSync) {
  const AttentionCaseOptions options{
      .name = "both", .terms = kOffsetBias, .queries = {3, 150}, .dropout = 0.2};
  Arena arena(allocate_shared);
  AttentionCase attention(options, arena);
  const AttentionForward& call = attention.forward();
  launch<AttentionForwardBlock<BFloat16, 64, TermClass::kOffsetBias>>(
      call, plan_forward(call, nullptr).arguments, {});
  const auto older = attention.results();
  const auto newer = results_of(options, {});
  constexpr double kRounding[] = {8e-3, 1e-5};  // one of bf16, and of fp32
  for (size_t i = 0; i < newer.size(); ++i) {
    EXPECT_LE(largest_error(newer[i].values, older[i].values), kRounding[i]) << newer[i].name;
  }
}

// A tile reaches into the next sentence, whose numbers must not leak.
TEST(Sm90ForwardHostTest, NanOfANeighbourStaysThere) {
  Arena arena(allocate_shared);
  AttentionCase attention({.name = "neighbours", .queries = {9, 30, 5}, .heads = 1}, arena);
  const AttentionForward& call = attention.forward();
  run(call, {.order = 1});
  const auto before = attention.results().front().values;
  for (const HeadRows& rows : {call.keys, call.values}) {
    auto* const second = static_cast<uint16_t*>(rows.data) + 9 * rows.token_stride;
    std::fill_n(second, 30 * call.sizes.head_width, uint16_t{0x7fff});
  }
  for (const uint64_t order : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
    run(call, {.order = order});
    const auto after = attention.results().front().values;
    for (size_t i = 0; i < after.size(); ++i) {
      const size_t token = i / 64;
      if (token >= 9 && token < 39) {
        ASSERT_TRUE(std::isnan(after[i]));
      } else {
        ASSERT_EQ(after[i], before[i]) << "token " << token << ", order " << order;
      }
    }
  }
}

TEST(Sm90ForwardHostTest, SaysWhatItCannotRun) {
  Arena arena(allocate_shared);
  const auto reason = [&](const AttentionCaseOptions& options) {
    AttentionCase attention(options, arena);
    const auto reasons = reasons_against_warpgroup_forward(attention.forward());
    return reasons.empty() ? std::string() : reasons.front();
  };
  EXPECT_EQ(reason({.name = "none"}), "");
  EXPECT_EQ(reason({.name = "narrow", .width = 32}),
            "the head width is 32, not a multiple of 8 of 40 to 64 or 104 to 128");
  EXPECT_EQ(reason({.name = "vectors", .terms = kRelativeKeys}),
            "the scores have terms besides a bias of each offset");
  EXPECT_EQ(reason({.name = "fp32", .type = ElementType::kFloat}),
            "the elements are float32, not bfloat16 or float16");
  AttentionCase attention({.name = "stride"}, arena);
  attention.forward().keys.token_stride += 4;
  EXPECT_EQ(reasons_against_warpgroup_forward(attention.forward()).front(),
            "the rows of queries, keys or values do not begin at 16 bytes");
}

}  // namespace
}  // namespace dietmt::kernels
