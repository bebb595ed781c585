#include "nmt/packing/lower_positions.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "encoders/ops/scopes.h"
#include "encoders/position/scheme/position_scheme.h"

namespace dietmt::nmt {
namespace {

constexpr int64_t kLayers = 2, kHeads = 2, kHeadWidth = 4, kPadded = 6;
constexpr SiteSizes kSizes{.layers = kLayers,
                           .width = kHeads * kHeadWidth,
                           .heads = kHeads,
                           .head_width = kHeadWidth,
                           .vector_width = kPadded};

encoders::PositionScheme scheme(const std::string& spec) {
  const encoders::SeededDraws draws(1);
  return {spec,
          {.layers = kLayers,
           .heads = kHeads,
           .head_width = kHeadWidth,
           .model_width = kHeads * kHeadWidth,
           .max_positions = 50}};
}

// The table that the encodings give to layer `l`, without padding.
at::Tensor given(const encoders::PositionScheme& positions, at::Tensor encoders::ScoreTerms::*table,
                 size_t l, int64_t length) {
  return positions.lower({length, length}, at::zeros({1}))[l].*table;
}

TEST(LowerTerms, CopiesTheTablesOfEveryLayer) {
  const auto positions = scheme("diet-rel(clip=3)");
  const SiteTerms terms = lower_terms(positions, kSizes, 5);
  ASSERT_EQ(terms.layers.size(), 2U);
  EXPECT_EQ(terms.length, 5);
  EXPECT_FALSE(terms.embedding);
  for (size_t l = 0; l < 2; ++l) {
    const TermTable& bias = terms.layers[l].offset_bias;
    const at::Tensor wanted = given(positions, &encoders::ScoreTerms::offset_bias, l, 5);
    ASSERT_EQ(bias.heads, wanted.size(0));
    ASSERT_EQ(bias.rows, wanted.size(1));
    for (int64_t h = 0; h < bias.heads; ++h)
      for (int64_t o = 0; o < bias.rows; ++o)
        EXPECT_EQ(bias.data[h * bias.head_stride + o], wanted[h][o].item<float>());
    EXPECT_EQ(terms.layers[l].content_scale.size(), 2U);
    EXPECT_FALSE(terms.layers[l].relative_keys);
  }
}

TEST(LowerTerms, PadsVectorsWithZeros) {
  const auto positions = scheme("shaw(clip=2)");
  const at::Tensor wanted = given(positions, &encoders::ScoreTerms::relative_keys, 0, 4);
  const SiteTerms terms = lower_terms(positions, kSizes, 4);
  const TermTable& table = terms.layers[0].relative_keys;
  ASSERT_EQ(table.width, kPadded);
  ASSERT_EQ(table.rows, wanted.size(1));
  for (int64_t o = 0; o < table.rows; ++o)
    for (int64_t m = 0; m < kPadded; ++m)
      EXPECT_EQ(table.data[o * kPadded + m], m < kHeadWidth ? wanted[0][o][m].item<float>() : 0.0F);
}

TEST(LowerTerms, LayersThatShareATableShareItsCopy) {
  const SiteTerms shared = lower_terms(scheme("diet-rel(share=layers)"), kSizes, 5);
  EXPECT_EQ(shared.layers[0].offset_bias.data, shared.layers[1].offset_bias.data);
  const SiteTerms own = lower_terms(scheme("diet-rel"), kSizes, 5);
  EXPECT_NE(own.layers[0].offset_bias.data, own.layers[1].offset_bias.data);
}

TEST(LowerTerms, HoldsWhatIsAddedToTheEmbeddings) {
  const SiteTerms terms = lower_terms(scheme("learned"), kSizes, 7);
  EXPECT_EQ(terms.embedding.rows, 7);
  EXPECT_EQ(terms.embedding.width, kSizes.width);
}

TEST(LowerTerms, ThoseOfShortSentencesArePartsOfLongerOnes) {
  const auto positions = scheme("rope+learned");
  SiteTerms longer = lower_terms(positions, kSizes, 20);
  longer.embedding.grows = true;
  for (LayerTerms& layer : longer.layers)
    visit_tables(layer,
                 [](const char*, TermTable& table, TermRows) { table.grows = table.rows > 0; });
  EXPECT_TRUE(equal(part_of(longer, 8), lower_terms(positions, kSizes, 8)));
  EXPECT_FALSE(equal(part_of(longer, 9), lower_terms(positions, kSizes, 8)));
}

TEST(LowerPositions, TakesAsLongSentencesAsTheEncoding) {
  const auto positions = std::make_shared<encoders::PositionScheme>(
      "learned", encoders::EncodingContext{.layers = kLayers,
                                           .heads = kHeads,
                                           .head_width = kHeadWidth,
                                           .model_width = kSizes.width,
                                           .max_positions = 50});
  const auto tables = lower_positions(positions, kSizes);
  EXPECT_EQ(tables->max_length(), 50);
  EXPECT_NE(tables->of(50).embedding, nullptr);
}

}  // namespace
}  // namespace dietmt::nmt
