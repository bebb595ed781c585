#include "inspection/parameter_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nmt/network/model_size.h"

namespace dietmt::inspection {
namespace {

using testing::HasSubstr;

TEST(ParameterTable, HasALineForEachLayerAndEncoding) {
  nmt::ModelConfig config;
  config.encoder_layers = 11;
  config.decoder_layers = 1;
  config.width = 4;
  config.feed_forward = 3;
  config.heads = 2;
  config.source_vocabulary = config.target_vocabulary = 10;
  config.max_positions = 5;
  config.encoder_position = "learned+diet-rel(clip=2,share=all)";
  // A layer: 4 products of 4 x 4, 2 of 4 x 3, their biases, 2 norms.
  const std::string layer = std::to_string(4 * 20 + 2 * 12 + 3 + 4 + 2 * 8);
  std::string layers;
  for (int l = 0; l < 11; ++l) layers += "encoder.layer" + std::to_string(l) + '\t' + layer + '\n';
  const std::string table = parameter_table(nmt::parameter_counts(config));
  EXPECT_THAT(table, HasSubstr(layers + "encoder.position.diet_rel\t5\n"
                                        "encoder.position.learned\t20\n"));
  EXPECT_THAT(table, HasSubstr("source_embedding\t40\n"));
  // The decoder's layer has 4 more products and a norm.
  const int64_t total = 11 * 127 + (127 + 80 + 8) + 25 + 40;
  EXPECT_THAT(table, testing::EndsWith("\npositions\t25\ntotal\t" + std::to_string(total) + "\n"));
}

}  // namespace
}  // namespace dietmt::inspection
