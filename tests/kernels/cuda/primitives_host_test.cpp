// The host's emulation of warp operations compared with the PTX manual.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/cuda/fragments.cuh"

namespace dietmt::kernels {
namespace {

void run_block(size_t shared_bytes, const std::function<void(char*)>& body) {
  run_on_host({1, 1, 1}, shared_bytes, {}, [&](BlockIndex, char* shared) { body(shared); });
}

uint16_t bf16(float value) { return round_to(BFloat16{}, value); }

TEST(PrimitivesHostTest, RoundsToNearestEven) {
  EXPECT_EQ(to_float(BFloat16{bf16(1.00390625f)}), 1.0f);       // half way, even below
  EXPECT_EQ(to_float(BFloat16{bf16(1.01171875f)}), 1.015625f);  // half way, even above
  EXPECT_EQ(round_to(Half{}, 1.0f), 0x3c00);
  EXPECT_EQ(round_to(Half{}, -2.5f), 0xc100);
  EXPECT_EQ(round_to(Half{}, 65504.0f), 0x7bff);
  EXPECT_EQ(round_to(Half{}, 65520.0f), 0x7c00);
  EXPECT_EQ(round_to(Half{}, 0x1p-24f), 0x0001);
  EXPECT_EQ(round_to(Half{}, 0x1p-25f), 0x0000);  // half way, even below
  EXPECT_EQ(round_to(Half{}, 0x1.8p-24f), 0x0002);
  EXPECT_EQ(round_to(Half{}, 2047.9f), 0x6800);  // carries into the exponent
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    ASSERT_EQ(round_to(Half{}, to_float(half)), bits);
  }
}

TEST(PrimitivesHostTest, LoadsMatricesAndTheirTransposes) {
  run_block(16 * 16 * sizeof(uint16_t), [](char* shared) {
    auto* tile = reinterpret_cast<uint16_t*>(shared);
    if (thread_index() == 0) {
      for (uint16_t i = 0; i < 256; ++i) tile[i] = i;
    }
    sync_block();
    const int lane = lane_index();
    uint32_t r[4];
    // Matrices: rows 0-7 columns 0-7, rows 8-15 columns 0-7, then columns 8-15.
    load_matrices(r, tile + lane % 16 * 16 + lane / 16 * 8);
    for (uint32_t m = 0; m < 4; ++m) {
      const auto row = static_cast<uint32_t>(lane / 4) + 8 * (m % 2);
      const auto column = 2 * static_cast<uint32_t>(lane % 4) + 8 * (m / 2);
      EXPECT_EQ(r[m] & 0xffffU, row * 16 + column);
      EXPECT_EQ(r[m] >> 16, row * 16 + column + 1);
    }
    load_matrices_transposed(r, tile + lane % 16 * 16 + lane / 16 * 8);
    for (uint32_t m = 0; m < 4; ++m) {
      const auto row = 2 * static_cast<uint32_t>(lane % 4) + 8 * (m % 2);
      const auto column = static_cast<uint32_t>(lane / 4) + 8 * (m / 2);
      EXPECT_EQ(r[m] & 0xffffU, row * 16 + column);
      EXPECT_EQ(r[m] >> 16, (row + 1) * 16 + column);
    }
  });
}

// Every element of a and b is set by the manual's layout; d must be their product.
TEST(PrimitivesHostTest, MultipliesFragments) {
  const auto a_value = [](int row, int k) {
    return static_cast<float>((row * 7 + k * 3) % 11 - 5);
  };
  const auto b_value = [](int k, int column) {
    return static_cast<float>((k * 5 + column * 2) % 13 - 6);
  };
  run_block(0, [&](char*) {
    const int g = lane_index() / 4;
    const int t = lane_index() % 4;
    uint32_t a[4];
    for (int i = 0; i < 4; ++i) {
      const int row = g + 8 * (i % 2);
      const int k = 2 * t + 8 * (i / 2);
      a[i] = pack<Half>(a_value(row, k), a_value(row, k + 1));
    }
    uint32_t b[2];
    for (int i = 0; i < 2; ++i) {
      const int k = 2 * t + 8 * i;
      b[i] = pack<Half>(b_value(k, g), b_value(k + 1, g));
    }
    float d[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    multiply_add<Half>(d, a, b);
    for (int i = 0; i < 4; ++i) {
      const int row = g + 8 * (i / 2);
      const int column = 2 * t + i % 2;
      float sum = 1.0f;
      for (int k = 0; k < 16; ++k) sum += a_value(row, k) * b_value(k, column);
      EXPECT_EQ(d[i], sum);
    }
  });
}

TEST(PrimitivesHostTest, ShufflesWithinTheWarp) {
  run_block(0, [](char*) {
    const auto own = static_cast<float>(thread_index());
    EXPECT_EQ(shuffle_xor(own, 5), static_cast<float>(thread_index() ^ 5));
  });
}

TEST(PrimitivesHostTest, CopiesArriveWhenTheyAreWaitedFor) {
  alignas(16) const uint64_t source[4] = {1, 2, 3, 4};
  run_block(64, [&](char* shared) {
    if (thread_index() != 0) return;
    auto* target = reinterpret_cast<uint64_t*>(shared);
    copy_async(target, source, true);
    commit_copies();
    copy_async(target + 2, source + 2, false);
    commit_copies();
    EXPECT_EQ(target[0], ~uint64_t{0});
    wait_copies<1>();
    EXPECT_EQ(target[1], 2U);
    EXPECT_EQ(target[2], ~uint64_t{0});
    wait_copies<0>();
    EXPECT_EQ(target[2], 0U);
    EXPECT_EQ(target[3], 0U);
  });
}

TEST(PrimitivesHostDeathTest, FindsBarriersThatNotAllThreadsReach) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run_block(0,
                         [](char*) {
                           if (thread_index() == 3) sync_block();
                         }),
               "barrier that others never reach");
  EXPECT_DEATH(run_block(0,
                         [](char*) {
                           if (thread_index() % 32 == 3) {
                             sync_warp();
                           } else {
                             shuffle_xor(0.0f, 1);
                           }
                         }),
               "different operations");
}

// A tile product through ldmatrix and mma, as the attention kernels use them.
TEST(PrimitivesHostTest, MultipliesTiles) {
  constexpr int kWidth = 32;
  constexpr int kColumns = 64;
  constexpr int kSize = kRows * kStride<kWidth>;
  const auto value = [](int row, int column) {
    return static_cast<float>((row * 3 + column * 5) % 7 - 3);
  };
  run_block(2 * kSize * sizeof(BFloat16), [&](char* shared) {
    auto* rows = reinterpret_cast<BFloat16*>(shared);
    BFloat16* other = rows + kSize;
    for (int i = thread_index(); i < kRows * kWidth; i += kThreads) {
      const int at = i / kWidth * kStride<kWidth> + i % kWidth;
      rows[at].bits = bf16(value(i / kWidth, i % kWidth));
      other[at].bits = bf16(value(i / kWidth + 1, i % kWidth));
    }
    sync_block();
    WarpRows<kColumns> scores;
    scores.zero();
    multiply_transposed<BFloat16, kWidth>(scores, rows, other, {0, kColumns - 10});
    scores.for_each([&](int row, int column, float& score, int) {
      float sum = 0.0f;
      for (int k = 0; k < kWidth; ++k) sum += value(row, k) * value(column + 1, k);
      EXPECT_EQ(score, sum);
    });
    WarpRows<kWidth> sums;
    sums.zero();
    scores.for_each([](int row, int column, float& score, int) {
      score = static_cast<float>((row + column) % 3);
    });
    multiply<BFloat16, kStride<kWidth>>(sums, scores, other, {0, kColumns - 20});
    sums.for_each([&](int row, int column, float& sum, int) {
      float expected = 0.0f;
      for (int k = 0; k < kColumns - 16; ++k) {
        expected += static_cast<float>((row + k) % 3) * value(k + 1, column);
      }
      EXPECT_EQ(sum, expected);
    });
  });
}

}  // namespace
}  // namespace dietmt::kernels
