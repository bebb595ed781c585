// What only the host can vary: the order of threads and blocks, blocks in flight, and the division
// of the backward pass into blocks.
#include <gtest/gtest.h>

#include <cmath>

#include "common/error.h"
#include "kernels/attention_tables.h"
#include "kernels/cuda/attention_plan.h"
#include "tests/kernels/attention_case.h"
#include "tests/kernels/attention_reference.h"
#include "tests/kernels/cuda/host_launcher.h"
#include "tests/kernels/cuda/runner.h"

namespace dietmt::kernels {
namespace {

AttentionCaseOptions all_terms() {
  return {.name = "all_terms",
          .width = 32,
          .terms = kAllTerms,
          .queries = {1, 7, 97, 20},
          .dropout = 0.2};
}

std::vector<NamedValues> run(const AttentionCaseOptions& options, const HostSchedule& schedule,
                             const BackwardLimits& limits = {}) {
  Arena arena(allocate_shared);
  AttentionCase attention(options, arena);
  run_attention_on_host(attention.backward(), schedule, limits);
  return attention.results();
}

void expect_same_bits(const std::vector<NamedValues>& a, const std::vector<NamedValues>& b) {
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].values, b[i].values) << a[i].name;
}

TEST(AttentionHostTest, MoreHeadsThanTheKernelsHaveRoomForAreAnError) {
  const std::vector<float> scales(kMaxHeads + 1);
  AttentionBackward call;
  call.forward.sizes.heads = kMaxHeads + 1;
  call.forward.terms.content_scale = scales.data();
  EXPECT_THROW(plan_forward(call.forward, nullptr), Error);
  EXPECT_THROW(plan_backward(call, nullptr), Error);
}

TEST(AttentionHostTest, OrderOfThreadsAndBlocksDoesNotMatter) {
  const auto in_order = run(all_terms(), {});
  expect_same_bits(run(all_terms(), {.workers = 1, .order = 1}), in_order);
  expect_same_bits(run(all_terms(), {.workers = 3, .order = 2}), in_order);
}

// Enough tiles to reuse both halves of a double buffer, with few barriers in between.
TEST(AttentionHostTest, OrderDoesNotMatterInAStreamOfTiles) {
  for (const int64_t width : {32, 128}) {
    const AttentionCaseOptions options{
        .name = "stream", .width = width, .terms = kOffsetBias, .queries = {260}, .heads = 1};
    const auto in_order = run(options, {});
    for (const uint64_t order : {1, 2, 3}) {
      expect_same_bits(run(options, {.workers = 1, .order = order}), in_order);
    }
  }
}

TEST(AttentionHostTest, OrderDoesNotMatterInFp32) {
  AttentionCaseOptions options = all_terms();
  options.type = ElementType::kFloat;
  options.queries = {70};
  options.heads = 1;
  const auto in_order = run(options, {});
  for (const uint64_t order : {1, 2}) {
    expect_same_bits(run(options, {.workers = 1, .order = order}), in_order);
  }
}

// Features in several pieces, alternating with another table in the same memory.
TEST(AttentionHostTest, OrderDoesNotMatterInPiecesOfFeatures) {
  const AttentionCaseOptions options{.name = "features",
                                     .width = 32,
                                     .terms = kRelativeKeys | kFeatures,
                                     .queries = {97},
                                     .heads = 1,
                                     .rank = 75};
  const auto in_order = run(options, {});
  for (const uint64_t order : {1, 2, 3}) {
    expect_same_bits(run(options, {.workers = 1, .order = order}), in_order);
  }
}

AttentionCaseOptions vectors(int64_t length, int64_t clip) {
  return {.name = "vectors",
          .width = 32,
          .terms = kRelativeKeys | kRelativeQueries | kRelativeValues,
          .queries = {length},
          .heads = 1,
          .clip = clip};
}

TEST(AttentionHostTest, OrderDoesNotMatterBeyondTheClip) {
  for (AttentionCaseOptions options : {vectors(200, 2), vectors(200, 40)}) {
    options.clip_step = 30;
    const auto in_order = run(options, {});
    for (const uint64_t order : {1, 2, 3}) {
      expect_same_bits(run(options, {.workers = 1, .order = order}), in_order);
    }
  }
}

// All tiles in one block, whose row sums restart in each tile.
TEST(AttentionHostTest, OneBlockGivesTheSameBeyondTheClip) {
  AttentionCaseOptions options = vectors(200, 2);
  options.queries = {200, 260, 150};
  const auto many = run(options, {});
  const auto fewest = run(options, {.workers = 1, .order = 1}, {.blocks = 1});
  for (size_t i = 0; i < many.size(); ++i) {
    for (size_t e = 0; e < many[i].values.size(); ++e) {
      ASSERT_NEAR(many[i].values[e], fewest[i].values[e], 2e-5) << many[i].name;
    }
  }
}

uint64_t products_of(const AttentionCaseOptions& options) {
  const uint64_t before = detail::products();
  run(options, {});
  return detail::products() - before;
}

TEST(AttentionHostTest, TablesCostLittleBeyondTheClip) {
  AttentionCaseOptions plain = vectors(500, 2);
  plain.terms = 0;
  const uint64_t none = products_of(plain);
  const uint64_t clipped = products_of(vectors(500, 2)) - none;
  const uint64_t unclipped = products_of(vectors(500, 500)) - none;
  EXPECT_LT(5 * clipped, unclipped) << none << " products without tables";
}

AttentionCaseOptions packed(unsigned terms, const std::vector<int64_t>& lengths) {
  return {.name = "packed",
          .width = 32,
          .terms = terms,
          .queries = lengths,
          .dropout = 0.2,
          .heads = 1,
          .packed = true};
}

TEST(AttentionHostTest, OrderDoesNotMatterInPackedTiles) {
  const std::vector<int64_t> lengths = {28, 31, 40, 29, 1, 60, 128, 9, 30};
  std::vector<AttentionCaseOptions> cases = {packed(0, lengths), packed(kOffsetBias, lengths),
                                             packed(kRelativeKeys, lengths),
                                             packed(0, {28, 31, 40, 29, 1, 60, 200, 9, 30})};
  cases.push_back(cases.front());
  cases.back().keys = {30, 20, 50, 129, 2, 1, 300, 28, 7};
  for (const AttentionCaseOptions& options : cases) {
    const auto in_order = run(options, {});
    for (const uint64_t order : {1, 2, 3}) {
      expect_same_bits(run(options, {.workers = 2, .order = order}), in_order);
    }
  }
}

// All tiles in one block, which reuses the memory of its keys.
TEST(AttentionHostTest, OneBlockGivesTheSameInPackedTiles) {
  const AttentionCaseOptions options = packed(kOffsetBias, {28, 31, 40, 29, 1, 60, 128, 9, 30});
  const auto many = run(options, {});
  const auto fewest = run(options, {.workers = 1, .order = 1}, {.blocks = 1});
  for (size_t i = 0; i < many.size(); ++i) {
    for (size_t e = 0; e < many[i].values.size(); ++e) {
      ASSERT_NEAR(many[i].values[e], fewest[i].values[e], 2e-5) << many[i].name;
    }
  }
}

// No two of these fit into one tile, but each has all its queries in one.
TEST(AttentionHostTest, SentencesOfATileTakeASinglePass) {
  const std::vector<int64_t> lengths = {100, 128, 70, 65};
  Arena arena(allocate_shared);
  AttentionCase attention(packed(0, lengths), arena);
  const AttentionBackward& call = attention.backward();
  EXPECT_FALSE(packs_sentences(call.forward));
  EXPECT_TRUE(plan_backward(call, nullptr).single_pass);
  AttentionCase longer(packed(0, {100, 129}), arena);
  EXPECT_FALSE(plan_backward(longer.backward(), nullptr).single_pass);
  AttentionCase unknown(packed(kRelativeKeys, lengths), arena);
  EXPECT_FALSE(plan_backward(unknown.backward(), nullptr).single_pass);
  AttentionCaseOptions long_keys = packed(0, {100, 70});
  long_keys.keys = {2000, 1000};
  AttentionCase cross(long_keys, arena);
  EXPECT_FALSE(plan_backward(cross.backward(), nullptr).single_pass);
}

TEST(AttentionHostTest, InfinitiesOfFp16StayInTheirSentences) {
  AttentionCaseOptions options = packed(0, {28, 31});
  options.type = ElementType::kHalf;
  options.packed = false;
  Arena arena(allocate_shared);
  EXPECT_FALSE(packs_sentences(AttentionCase(options, arena).forward()));
}

struct Work {
  int launches;
  int64_t blocks;
  uint64_t products;
};

Work work_of(const AttentionCaseOptions& options) {
  Arena arena(allocate_shared);
  AttentionCase attention(options, arena);
  const uint64_t before = detail::products();
  const HostLauncher launcher = run_attention_on_host(attention.backward(), {}, {});
  return {launcher.launches, launcher.blocks, detail::products() - before};
}

TEST(AttentionHostTest, PackedTilesNeedFewerBlocks) {
  constexpr int kSentences = 96;  // of Multi30k's average length
  AttentionCaseOptions options = packed(0, std::vector<int64_t>(kSentences, 28));
  options.width = 64;
  const Work together = work_of(options);
  options.packed = false;
  const Work apart = work_of(options);
  // Four sentences share a tile, whose block has the whole backward pass.
  EXPECT_EQ(together.blocks, 2 * kSentences / 4);
  EXPECT_GE(apart.blocks, 3 * kSentences);
  EXPECT_EQ(together.launches, 2);
  EXPECT_EQ(apart.launches, 3);
  // The rows of a warp see the columns of two sentences.
  EXPECT_LT(together.products, apart.products * 3 / 2);
}

// A multiprocessor of compute capability 9.0 has 228 KB of shared memory; each block costs 1 KB
// more than it requests.
TEST(AttentionHostTest, BlocksWithRelativeVectorsShareAMultiprocessor) {
  constexpr int64_t kForOne = 227 * 1024;
  constexpr int64_t kForTwo = 113 * 1024;
  constexpr int64_t kOnAnyDevice = 99 * 1024;
  Arena arena(allocate_shared);
  AttentionCaseOptions options = vectors(9, 16);
  options.width = 64;
  AttentionCase attention(options, arena);
  const AttentionForward& call = attention.forward();
  constexpr TermClass kVectors = TermClass::kRelativeVectors;
  EXPECT_LE((largest_shared_memory<BFloat16, 64, TermClass::kOffsetBias>(call)), kOnAnyDevice);
  EXPECT_LE((largest_shared_memory<BFloat16, 32, kVectors>(call)), kForTwo);
  EXPECT_LE((largest_shared_memory<BFloat16, 64, kVectors>(call)), kForTwo);
  EXPECT_LE((largest_shared_memory<BFloat16, 128, kVectors>(call)), kForOne);
  EXPECT_LE((largest_shared_memory<float, 64, TermClass::kEverything>(call)), kForOne);
}

TEST(AttentionHostTest, FewBlocksGiveTheSameUpToRounding) {
  const auto many = run(all_terms(), {});
  const auto few = run(all_terms(), {.workers = 1, .order = 3}, {.blocks = 8});
  const auto fewest =
      run(all_terms(), {.workers = 1, .order = 4}, {.blocks = 1, .partial_bytes = 1});
  for (size_t i = 0; i < many.size(); ++i) {
    for (size_t e = 0; e < many[i].values.size(); ++e) {
      ASSERT_NEAR(many[i].values[e], few[i].values[e], 2e-5) << many[i].name;
      ASSERT_NEAR(many[i].values[e], fewest[i].values[e], 2e-5) << many[i].name;
    }
  }
}

TEST(AttentionHostTest, GradientsReplaceWhatIsThere) {
  Arena arena(allocate_shared);
  AttentionCaseOptions options = all_terms();
  options.terms = kOffsetBias | kRelativeKeys;
  options.queries = {9};
  AttentionCase attention(options, arena);
  run_attention_on_host(attention.backward(), {}, {});
  const auto once = attention.results();
  run_attention_on_host(attention.backward(), {}, {});
  const auto twice = attention.results();
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(twice[i].values, once[i].values) << once[i].name;
  }
}

TEST(AttentionHostTest, TablesWithoutWantedGradientsStayWithoutThem) {
  Arena arena(allocate_shared);
  AttentionCase attention(all_terms(), arena);
  AttentionBackward call = attention.backward();
  call.grad_tables = {};
  run_attention_on_host(call, {}, {});
  const auto without = attention.results();
  const auto with = run(all_terms(), {});
  for (size_t i = 0; i < with.size(); ++i) {
    if (i < 5) {
      EXPECT_EQ(without[i].values, with[i].values) << with[i].name;
    } else {
      EXPECT_EQ(without[i].values, std::vector<double>(with[i].values.size(), 0.0));
    }
  }
}

}  // namespace
}  // namespace dietmt::kernels
