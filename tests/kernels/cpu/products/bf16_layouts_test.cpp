// Layouts of bf16 matrices and the operations after their products, for each instruction set.
#include "kernels/bf16_layouts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kernels/cpu/kernel_test.h"

namespace dietmt::kernels {
namespace {

constexpr uint32_t kUntouched = 0xabababab;

using LayoutTest = LevelTest<LayoutKernels>;
INSTANTIATE_TEST_SUITE_P(Levels, LayoutTest, testing::ValuesIn(layout_tables()),
                         level_name<LayoutKernels>);

TEST_P(LayoutTest, PairsHoldTheUpperRowInTheLowerHalf) {
  constexpr int64_t kStride = 70, kToStride = 64;
  for (const int64_t columns : {1, 16, 37, 64}) {
    for (const int64_t rows : {1, 2, 7}) {
      const std::vector<BFloat16> from = random_narrow(rows * kStride, 1);
      std::vector<uint32_t> to(static_cast<size_t>((rows + 1) / 2 * kToStride), kUntouched);
      level().pair_rows(from.data(), kStride, rows, columns, to.data(), kToStride);
      for (int64_t r = 0; r < rows + rows % 2; r += 2)
        for (int64_t c = 0; c < kToStride; ++c) {
          const auto bits = [&](int64_t row) {
            return row < rows ? uint32_t{from[static_cast<size_t>(row * kStride + c)].bits} : 0;
          };
          const uint32_t expected = c < columns ? bits(r) | bits(r + 1) << 16 : kUntouched;
          ASSERT_EQ(to[static_cast<size_t>(r / 2 * kToStride + c)], expected)
              << rows << " x " << columns << " at " << r << ", " << c;
        }
    }
  }
}

TEST_P(LayoutTest, TransposedPairsKeepTheirBits) {
  constexpr int64_t kStride = 32, kToStride = 64;
  for (const int64_t rows : {1, 16, 50}) {
    std::vector<uint32_t> from;
    for (int64_t i = 0; i < rows * kStride; ++i)
      from.push_back(static_cast<uint32_t>(i) * 2654435761u);  // NaN and infinities among them
    from[3] = 0x7f800001;                                      // a signalling NaN
    std::vector<uint32_t> to(kStride * kToStride, kUntouched);
    level().transpose_pairs(from.data(), kStride, rows, kStride, to.data(), kToStride);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < kStride; ++c)
        ASSERT_EQ(to[static_cast<size_t>(c * kToStride + r)],
                  from[static_cast<size_t>(r * kStride + c)]);
  }
}

TEST_P(LayoutTest, TilesAreRoundedAfterWhatFollows) {
  constexpr int64_t kRows = 3, kFromStride = 64, kToStride = 50;
  for (const int64_t columns : {1, 32, 45}) {
    const std::vector<float> from = random_numbers(kRows * kFromStride, 1, 1.0);
    const std::vector<BFloat16> bias = random_narrow(columns, 2),
                                addend = random_narrow(kRows * kToStride, 3),
                                passes = random_narrow(kRows * kToStride, 4);
    for (int parts = 0; parts < 16; ++parts) {
      const bool has_bias = parts & 1, has_addend = parts & 2, has_passes = parts & 4;
      const bool relu = parts & 8;
      std::vector<BFloat16> to(static_cast<size_t>(kRows * kToStride), BFloat16{0xabab});
      level().bf16_tile({kRows, columns, from.data(), kFromStride, has_bias ? bias.data() : nullptr,
                         has_addend ? addend.data() : nullptr, has_passes ? passes.data() : nullptr,
                         relu, to.data(), kToStride});
      for (int64_t r = 0; r < kRows; ++r) {
        for (int64_t c = 0; c < kToStride; ++c) {
          const auto i = static_cast<size_t>(r * kToStride + c);
          if (c >= columns) {
            ASSERT_EQ(to[i].bits, 0xabab);
            continue;
          }
          float x = from[static_cast<size_t>(r * kFromStride + c)];
          if (has_bias) x += value_of(bias[static_cast<size_t>(c)]);
          if (has_addend) x += value_of(addend[i]);
          if (relu) x = std::max(0.0f, x);
          if (has_passes && !(value_of(passes[i]) > 0.0f)) x = 0.0f;
          ASSERT_NEAR(value_of(to[i]), x, std::abs(x) / 256) << r << ", " << c << ": " << parts;
        }
      }
    }
  }
}

TEST_P(LayoutTest, NotANumberStaysOne) {
  std::vector<float> from(40, 1.0f);
  from[0] = from[37] = std::numeric_limits<float>::quiet_NaN();
  std::vector<BFloat16> to(40);
  level().bf16_tile({1, 40, from.data(), 40, nullptr, nullptr, nullptr, true, to.data(), 40});
  EXPECT_TRUE(std::isnan(value_of(to[0])));
  EXPECT_TRUE(std::isnan(value_of(to[37])));
  EXPECT_EQ(value_of(to[1]), 1.0f);
}

TEST_P(LayoutTest, ColumnSums) {
  for (const int64_t rows : {0, 1, 16, 77}) {
    for (const int64_t columns : {1, 33, 64}) {
      const std::vector<BFloat16> x = random_narrow(rows * columns, 5);
      std::vector<float> sums(static_cast<size_t>(columns), -1.0f);
      level().column_sums(x.data(), rows, columns, sums.data());
      for (int64_t c = 0; c < columns; ++c) {
        double expected = 0;
        for (int64_t r = 0; r < rows; ++r)
          expected += value_of(x[static_cast<size_t>(r * columns + c)]);
        ASSERT_NEAR(sums[static_cast<size_t>(c)], expected, 1e-5) << rows << " x " << columns;
      }
    }
  }
}

}  // namespace
}  // namespace dietmt::kernels
