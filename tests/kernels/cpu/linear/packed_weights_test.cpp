// Packed integers, and what packing and unpacking do to weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "common/error.h"
#include "tests/kernels/cpu/linear/packed_layer.h"

namespace dietmt::kernels {
namespace {

TEST(PackedIntegersTest, SaturateNothing) {
  // The largest products of both signs: 127 * 127 * K, offset by 128 * 127 * K.
  const int64_t inputs = 2048;
  Values weights(unsigned_of(2 * inputs), 1.0f), ones(unsigned_of(inputs), -1.0f);
  std::fill_n(weights.begin(), inputs, -1.0f);
  const Packed packed(WeightType::kInt8, 2, inputs, weights, inputs);
  EXPECT_EQ(packed.sums, (std::vector<int32_t>{-127 * 2048, 127 * 2048}));
  for (const LinearKernels* level : linear_tables()) {
    if (!runs_here(*level)) continue;
    const Bytes storage = allocate(prepared_bytes(WeightType::kInt8, 1, inputs));
    const PreparedRows row =
        level->prepare_rows(WeightType::kInt8, 1, inputs, ones.data(), inputs, storage.get(), 0.0f);
    float output[2];
    level->linear({.weights = &packed.layer, .input = &row, .output = output, .output_stride = 2});
    EXPECT_FLOAT_EQ(output[0], 2048.0f) << level->instruction_set;
    EXPECT_FLOAT_EQ(output[1], -2048.0f) << level->instruction_set;
  }
}

TEST(PackedIntegersTest, AreExactUpToTheMostInputs) {
  const int64_t inputs = kMostInt8Inputs;
  const Values ones(unsigned_of(inputs), 1.0f);
  const Packed packed(WeightType::kInt8, 1, inputs, ones, inputs);
  for (const LinearKernels* level : linear_tables()) {
    if (!runs_here(*level)) continue;
    EXPECT_FLOAT_EQ(outputs_of(*level, packed.layer, 1, ones)[0], static_cast<float>(inputs))
        << level->instruction_set;
  }
}

TEST(PackedIntegersTest, MoreInputsAreAnError) {
  const int64_t inputs = kMostInt8Inputs + 1;
  const size_t bytes = packed_bytes(WeightType::kInt8, 1, inputs);
  const Bytes panels = allocate(bytes);
  const Values weights(unsigned_of(inputs), 1.0f);
  const std::vector<int8_t> integers(unsigned_of(inputs), 127);
  float scale = 0.0f;
  int32_t sum = 0;
  EXPECT_THROW(pack_weights(WeightType::kInt8, 1, inputs, weights.data(), inputs, panels.get(),
                            &scale, &sum),
               ConfigError);
  EXPECT_THROW(pack_integers(1, inputs, integers.data(), panels.get(), &sum), ConfigError);
}

TEST(PackedIntegersTest, InputMultiplierServesAllRows) {
  const int64_t outputs = 70, inputs = 35, rows = 3;
  const float multiplier = 50.0f;  // cuts values beyond 2.54
  Values values = random_values(rows * inputs, 7);
  for (float& x : values) x *= 2.0f;
  const Values weights = random_values(outputs * inputs, 8);
  Packed packed(WeightType::kInt8, outputs, inputs, weights, inputs);
  Values bias(unsigned_of(outputs)), scales(unsigned_of(outputs));
  for (size_t n = 0; n < bias.size(); ++n) {
    scales[n] = packed.layer.scales[n] / multiplier;
    bias[n] = -127.0f * static_cast<float>(packed.sums[n]) * scales[n];
  }
  const std::vector<int32_t> zeros(unsigned_of(outputs));
  packed.layer.input_multiplier = multiplier;
  packed.layer.scales = scales.data();
  packed.layer.sums = zeros.data();
  for (const LinearKernels* level : linear_tables()) {
    if (!runs_here(*level)) continue;
    SCOPED_TRACE(level->instruction_set);
    const Values output = outputs_of(*level, packed.layer, rows, values, bias.data());
    for (int64_t n = 0; n < outputs; ++n) {
      const auto w = rounded_row(WeightType::kInt8, weights.data() + n * inputs, inputs);
      for (int64_t r = 0; r < rows; ++r) {
        double want = 0.0;
        for (int64_t k = 0; k < inputs; ++k) {
          const float scaled = values[unsigned_of(r * inputs + k)] * multiplier;
          want +=
              std::nearbyint(std::clamp(scaled, -127.0f, 127.0f)) / multiplier * w[unsigned_of(k)];
        }
        ASSERT_NEAR(output[unsigned_of(r * outputs + n)], want, 1e-4) << r << ", " << n;
      }
    }
    values[0] = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(std::isnan(outputs_of(*level, packed.layer, rows, values)[0]));
    values[0] = 0.0f;
  }
}

TEST(PackedIntegersTest, IntegersArePackedAsTheyAre) {
  const int64_t outputs = 70, inputs = 35;
  std::vector<int8_t> integers(unsigned_of(outputs * inputs));
  Values weights(integers.size());
  for (size_t i = 0; i < integers.size(); ++i) {
    const bool first = i % unsigned_of(inputs) == 0;  // so that packing rounds by 1
    integers[i] = static_cast<int8_t>(first ? 127 : static_cast<int>(i * 37 % 255) - 127);
    weights[i] = static_cast<float>(integers[i]);
  }
  const Packed rounded(WeightType::kInt8, outputs, inputs, weights, inputs);
  const size_t bytes = packed_bytes(WeightType::kInt8, outputs, inputs);
  const Bytes panels = allocate(bytes);
  std::vector<int32_t> sums(unsigned_of(outputs));
  pack_integers(outputs, inputs, integers.data(), panels.get(), sums.data());
  EXPECT_EQ(sums, rounded.sums);
  EXPECT_EQ(std::memcmp(panels.get(), rounded.layer.panels, bytes), 0);
}

TEST(PackWeightsTest, WeightsThatAreNotFiniteShow) {
  Values weights(64, 0.5f), row(32, 1.0f);
  weights[40] = std::numeric_limits<float>::infinity();
  const Packed packed(WeightType::kInt8, 2, 32, weights, 32);
  EXPECT_FLOAT_EQ(packed.scales[0], 0.5f / 127);
  EXPECT_TRUE(std::isnan(packed.scales[1]));
}

}  // namespace
}  // namespace dietmt::kernels
