// Tables of positions.json other than its worked examples.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <utility>

#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/encodings/t5.h"
#include "fixture_file.h"

namespace dietmt::encoders {
namespace {

at::Tensor sinusoid_table(const char* layout, int64_t positions, int64_t width) {
  const EncodingRow& row = *find_encoding("sinusoidal");
  OptionValues values(row.options);
  values.set("layout", layout);
  const at::Tensor zeros = at::zeros({positions, width}, at::kDouble);
  return row.make(values, {.model_width = width})
      ->embed(zeros, at::arange(positions), {}, positions);
}

TEST(FixtureTables, Sinusoids) {
  const std::pair<const char*, const char*> tables[] = {
      {"sinusoid_interleaved_pos0to4_d8", "interleaved"}, {"sinusoid_halves_pos0to4_d8", "halves"}};
  for (const auto& [name, layout] : tables) {
    const at::Tensor expected = tensor_of(fixtures().at("tables").at(name));
    const at::Tensor table = sinusoid_table(layout, expected.size(0), expected.size(1));
    EXPECT_LE((table - expected).abs().max().item<double>(), 1e-12) << name;
  }
}

/// The third layout contains the numbers of the first in the order of the second.
TEST(SinusoidLayouts, HalvesWithThePapersFrequencies) {
  const at::Tensor pairs = sinusoid_table("interleaved", 7, 10);
  const at::Tensor halves = sinusoid_table("halves-2m", 7, 10);
  EXPECT_TRUE(at::equal(halves, pairs.view({7, 5, 2}).transpose(1, 2).reshape({7, 10})));
}

TEST(FixtureTables, BucketsOfEveryOffset) {
  const std::pair<const char*, bool> tables[] = {{"t5_bucket_bidirectional_32_128", false},
                                                 {"t5_bucket_causal_32_128", true}};
  for (const auto& [name, one_directional] : tables) {
    const nlohmann::json& table = fixtures().at("tables").at(name);
    int64_t offset = table.at("first_offset").get<int64_t>();
    for (const nlohmann::json& bucket : table.at("buckets")) {
      EXPECT_EQ(t5_bucket(offset, one_directional, 32, 128), bucket.get<int64_t>()) << offset;
      ++offset;
    }
  }
}

}  // namespace
}  // namespace dietmt::encoders
