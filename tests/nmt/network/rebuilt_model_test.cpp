#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "nmt/network/translation_model.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

ModelConfig config_with(const std::string& position, int64_t max_positions = 16) {
  ModelConfig config;
  config.source_vocabulary = config.target_vocabulary = 30;
  config.encoder_layers = config.decoder_layers = 1;
  config.width = 16;
  config.feed_forward = 24;
  config.heads = 2;
  config.max_positions = max_positions;
  config.encoder_position = config.decoder_position = position;
  return config;
}

Tensor parameter(const TranslationModel& model, const std::string& name) {
  return model.named_parameters()[name];
}

TEST(RebuiltModelTest, TheSameConfigurationIsTheSameModel) {
  const TranslationModel trained(config_with("learned+diet-rel"), 1);
  const RebuiltModel rebuilt = rebuild(trained, trained.config(), 2);
  EXPECT_THAT(rebuilt.inheritance.drawn, IsEmpty());
  EXPECT_THAT(rebuilt.inheritance.extended, IsEmpty());
  EXPECT_THAT(rebuilt.inheritance.dropped, IsEmpty());
  for (const auto& item : trained.named_parameters())
    EXPECT_TRUE(at::equal(item.value(), parameter(*rebuilt.model, item.key()))) << item.key();
}

TEST(RebuiltModelTest, AnotherEncodingStartsAnew) {
  const TranslationModel trained(config_with("learned"), 1);
  const RebuiltModel rebuilt = rebuild(trained, config_with("diet-rel"), 2);
  EXPECT_THAT(rebuilt.inheritance.drawn, UnorderedElementsAre("encoder.position.diet_rel.table",
                                                              "decoder.position.diet_rel.table"));
  EXPECT_THAT(rebuilt.inheritance.dropped, UnorderedElementsAre("encoder.position.learned.table",
                                                                "decoder.position.learned.table"));
  EXPECT_TRUE(at::equal(parameter(trained, "source_embedding"),
                        parameter(*rebuilt.model, "source_embedding")));
}

TEST(RebuiltModelTest, ALongerTableOfPositionsKeepsItsFirstRows) {
  const TranslationModel trained(config_with("learned"), 1);
  const RebuiltModel rebuilt = rebuild(trained, config_with("learned", 40), 2);
  EXPECT_THAT(rebuilt.inheritance.drawn, IsEmpty());
  EXPECT_THAT(rebuilt.inheritance.extended, UnorderedElementsAre("encoder.position.learned.table",
                                                                 "decoder.position.learned.table"));
  const Tensor before = parameter(trained, "encoder.position.learned.table");
  const Tensor table = parameter(*rebuilt.model, "encoder.position.learned.table");
  ASSERT_EQ(table.size(0), 40);
  EXPECT_TRUE(at::equal(table.narrow(0, 0, 16), before));
  const Tensor drawn =
      parameter(TranslationModel(config_with("learned", 40), 2), "encoder.position.learned.table");
  EXPECT_TRUE(at::equal(table.narrow(0, 16, 24), drawn.narrow(0, 16, 24)));
}

TEST(RebuiltModelTest, ALongerTableOfOffsetsKeepsItsMiddle) {
  const std::string name = "encoder.position.tupe_r.relative";
  const TranslationModel trained(config_with("tupe-r(buckets=none)"), 1);
  const RebuiltModel rebuilt = rebuild(trained, config_with("tupe-r(buckets=none)", 20), 2);
  const Tensor before = parameter(trained, name), table = parameter(*rebuilt.model, name);
  ASSERT_EQ(before.size(1), 31);
  ASSERT_EQ(table.size(1), 39);
  EXPECT_TRUE(at::equal(table.narrow(1, 4, 31), before));  // offset 0 is column 15, then 19
  EXPECT_FALSE(at::equal(table.narrow(1, 0, 31), before));
}

TEST(RebuiltModelTest, OtherShapesStartAnew) {
  const TranslationModel trained(config_with("shaw(clip=4)"), 1);
  const RebuiltModel rebuilt = rebuild(trained, config_with("shaw(clip=6)"), 2);
  EXPECT_THAT(rebuilt.inheritance.drawn, testing::Contains("encoder.position.shaw.keys"));
  EXPECT_THAT(rebuilt.inheritance.extended, IsEmpty());
}

}  // namespace
}  // namespace dietmt::nmt
