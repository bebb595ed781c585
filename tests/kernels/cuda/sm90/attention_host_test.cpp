// What only the host can vary: the order of threads, copies and products, the division into blocks,
// and memory that no kernel may use. Also compares the mma.sync kernels with those of sm_90a.
#include <gtest/gtest.h>

#include "kernels/cuda/sm90/attention_driver.cuh"
#include "tests/kernels/attention_case.h"
#include "tests/kernels/cuda/host_launcher.h"
#include "tests/kernels/cuda/sm90/runner.h"
#include "tests/kernels/largest_error.h"

namespace dietmt::kernels {
namespace {

template <typename E, int kWidth, TermClass kTerms>
struct WarpgroupHostInstance {
  static void run(const AttentionBackward& call, HostLauncher& launcher,
                  const BackwardLimits& limits) {
    run_warpgroup_forward<E, kWidth, kTerms>(call.forward, launcher);
    NanWorkspace workspace(plan_warpgroup_backward(call, nullptr, limits).workspace_bytes);
    run_warpgroup_backward<E, kWidth, kTerms>(call, workspace.start(), launcher, limits);
  }
};

void run(const AttentionBackward& call, const HostSchedule& schedule,
         const BackwardLimits& limits = {}) {
  const auto reasons = reasons_against_warpgroups(call.forward);
  ASSERT_TRUE(reasons.empty()) << reasons.front();
  HostLauncher launcher{schedule};
  with_warpgroup_instance<WarpgroupHostInstance>(
      call.forward, [&](auto instance) { instance.run(call, launcher, limits); });
}

std::vector<NamedValues> results_of(const AttentionCaseOptions& options,
                                    const HostSchedule& schedule,
                                    const BackwardLimits& limits = {}) {
  Arena arena(allocate_shared);
  AttentionCase attention(options, arena);
  run(attention.backward(), schedule, limits);
  return attention.results();
}

}  // namespace

void run_warpgroup_attention(const AttentionBackward& call) {
  run(call, {.workers = 2, .order = 1});
}

namespace {

// More tiles than stages, full and partial ones, and warpgroups with different numbers of keys.
TEST(Sm90AttentionHostTest, OrderOfThreadsCopiesAndProductsDoesNotMatter) {
  for (const int64_t width : {64, 128}) {
    const AttentionCaseOptions options{.name = "stream",
                                       .width = width,
                                       .terms = width == 64 ? 0U : kOffsetBias,
                                       .queries = {300, 40},
                                       .causal = width == 64,
                                       .dropout = 0.1,
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

// One block for all query tiles, whose rings and barriers continue from tile to tile.
TEST(Sm90AttentionHostTest, FewBlocksGiveTheSameUpToRounding) {
  for (const bool causal : {false, true}) {
    const AttentionCaseOptions options{.name = "blocks",
                                       .terms = kOffsetBias,
                                       .queries = {300, 40, 130},
                                       .causal = causal,
                                       .heads = 1};
    const auto many = results_of(options, {});
    for (const uint64_t order : {0, 1, 2, 3}) {
      const auto few = results_of(options, {.order = order}, {.blocks = 1, .partial_bytes = 1});
      for (size_t i = 0; i < many.size(); ++i) {
        const double allowed = many[i].name == "grad_offset_bias" ? 1e-4 : 0.0;
        EXPECT_LE(largest_error(few[i].values, many[i].values), allowed) << many[i].name;
      }
    }
  }
}

TEST(Sm90AttentionHostTest, AgreesWithTheKernelsWithMmaSync) {
  const AttentionCaseOptions options{
      .name = "both", .terms = kOffsetBias, .queries = {3, 150}, .dropout = 0.2};
  Arena arena(allocate_shared);
  AttentionCase attention(options, arena);
  HostLauncher launcher;
  const AttentionBackward& call = attention.backward();
  run_attention_forward<BFloat16, 64, TermClass::kOffsetBias>(call.forward, nullptr, launcher);
  NanWorkspace workspace(plan_backward(call, nullptr).workspace_bytes);
  run_attention_backward<BFloat16, 64, TermClass::kOffsetBias>(call, workspace.start(), launcher);
  const auto older = attention.results();
  const auto newer = results_of(options, {});
  for (size_t i = 0; i < newer.size(); ++i) {
    const double size = largest_error(older[i].values, std::vector<double>(older[i].values.size()));
    const double rounding = newer[i].name == "log_normalizer" ? 1e-6 : 8e-3;  // fp32 and bf16
    EXPECT_LE(largest_error(newer[i].values, older[i].values), rounding * size) << newer[i].name;
  }
}

// A tile extends into the next sentence, whose numbers must not leak.
TEST(Sm90AttentionHostTest, NanOfANeighbourStaysThere) {
  Arena arena(allocate_shared);
  AttentionCase attention({.name = "neighbours", .queries = {9, 30, 5}, .heads = 1}, arena);
  const AttentionBackward& call = attention.backward();
  run(call, {.order = 1});
  const auto before = attention.results();
  fill_inputs_with_nan(call, 9, 30);
  for (const uint64_t order : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
    run(call, {.order = order});
    const auto after = attention.results();
    for (size_t r = 0; r < after.size(); ++r) {
      const size_t width = after[r].name == "log_normalizer" ? 1 : 64;
      for (size_t i = 0; i < after[r].values.size(); ++i) {
        const size_t token = i / width;
        if (token >= 9 && token < 39) continue;
        ASSERT_EQ(after[r].values[i], before[r].values[i])
            << after[r].name << " of token " << token << ", order " << order;
      }
    }
    EXPECT_TRUE(std::isnan(after.front().values[64 * 9]));
  }
}

TEST(Sm90AttentionHostTest, TablesWithoutWantedGradientsStayWithoutThem) {
  const AttentionCaseOptions options{.name = "frozen", .terms = kOffsetBias, .queries = {70}};
  Arena arena(allocate_shared);
  AttentionCase attention(options, arena);
  AttentionBackward call = attention.backward();
  call.grad_tables = {};
  run(call, {.order = 1});
  const auto without = attention.results();
  const auto with = results_of(options, {});
  for (size_t i = 0; i + 1 < with.size(); ++i) {
    EXPECT_EQ(without[i].values, with[i].values) << with[i].name;
  }
  EXPECT_EQ(without.back().values, std::vector<double>(with.back().values.size(), 0.0));
}

TEST(Sm90AttentionHostTest, SaysWhatItCannotRun) {
  Arena arena(allocate_shared);
  const auto reason = [&](const AttentionCaseOptions& options) {
    AttentionCase attention(options, arena);
    const auto reasons = reasons_against_warpgroups(attention.forward());
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
  EXPECT_EQ(reasons_against_warpgroups(attention.forward()).front(),
            "the rows of queries, keys or values do not begin at 16 bytes");
}

}  // namespace
}  // namespace dietmt::kernels
