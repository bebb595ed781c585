// Rotary positions in each instruction set compared with their formula in double.
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "tests/kernels/cpu/rowwise/level_test.h"

namespace dietmt::kernels {
namespace {

constexpr int64_t kRotatedRows = 5, kHeads = 3, kPositions = 4;

struct Layout {
  int64_t width, table_heads;
  uint64_t halved_heads;
  bool has_positions;
};

float value_of(float number) { return number; }

template <typename Number>
std::vector<Number> random_rows(int64_t size) {
  if constexpr (std::is_same_v<Number, float>)
    return random_numbers(size, 1, 1.0);
  else
    return random_narrow(size, 1);
}

class RotateTest : public RowwiseTest {
 protected:
  template <typename Number>
  static void check(ElementType type, const Layout& layout, bool back, double rounding) {
    const int64_t stride = kHeads * layout.width + 6, pairs = layout.width / 2;
    const int64_t entries = layout.table_heads * pairs;
    const auto x = random_rows<Number>(kRotatedRows * stride);
    const std::vector<float> table = random_values(unsigned_of(2 * kPositions * entries), 2);
    const std::vector<int64_t> positions = {3, 0, 1, 3, 2};
    std::vector<Number> output(unsigned_of(kRotatedRows * kHeads * layout.width));
    level().rotate({.type = type,
                    .rows = kRotatedRows,
                    .heads = kHeads,
                    .head_width = layout.width,
                    .x = x.data(),
                    .row_stride = stride,
                    .table = table.data(),
                    .table_heads = layout.table_heads,
                    .positions = layout.has_positions ? positions.data() : nullptr,
                    .halved_heads = layout.halved_heads,
                    .back = back,
                    .output = output.data()});
    for (int64_t row = 0; row < kRotatedRows; ++row) {
      const int64_t position = layout.has_positions ? positions[unsigned_of(row)] : 0;
      for (int64_t h = 0; h < kHeads; ++h) {
        const Number* const from = x.data() + row * stride + h * layout.width;
        const Number* const to = output.data() + (row * kHeads + h) * layout.width;
        const float* const cosines =
            table.data() + 2 * position * entries + (layout.table_heads == 1 ? 0 : h * pairs);
        const bool halved = (layout.halved_heads >> h & 1) != 0;
        for (int64_t m = 0; m < pairs; ++m) {
          const int64_t first = halved ? m : 2 * m, second = halved ? m + pairs : 2 * m + 1;
          const double a = value_of(from[first]), b = value_of(from[second]);
          const double c = cosines[m], s = (back ? -1.0 : 1.0) * cosines[m + entries];
          const auto near = [&](int64_t at, double expected) {
            ASSERT_NEAR(value_of(to[at]), expected, rounding * std::abs(expected) + 1e-6)
                << "row " << row << ", head " << h << ", number " << at;
          };
          near(first, a * c - b * s);
          near(second, b * c + a * s);
        }
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, RotateTest, testing::ValuesIn(row_tables()),
                         level_name<RowwiseKernels>);

TEST_P(RotateTest, IsItsFormula) {
  for (const Layout& layout : {Layout{32, 1, 0, true}, Layout{64, 3, 0b111, true},
                               Layout{22, 3, 0b010, true}, Layout{2, 1, 0b101, false}}) {
    for (const bool back : {false, true}) {
      SCOPED_TRACE(layout.width);
      check<float>(ElementType::kFloat, layout, back, 1e-6);
      check<BFloat16>(ElementType::kBFloat16, layout, back, 1.0 / 256);
    }
  }
}

}  // namespace
}  // namespace dietmt::kernels
