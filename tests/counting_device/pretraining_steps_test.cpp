// Validation of BERT pretraining in bf16 on the counting device.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "bert/training/pretraining_task.h"
#include "tests/bert/training/toy_text.h"
#include "tests/counting_device/counting_device.h"

namespace dietmt::bert {
namespace {

class PretrainingSteps : public ToyTextTest, public testing::WithParamInterface<data::ExampleMode> {
 protected:
  std::map<std::string, double> validated(at::Device device, bool bf16) const {
    encoders::BertConfig config = encoders::BertConfig::preset("tiny");
    config.vocabulary = tokenizer_->vocabulary_size();
    config.width = 32;
    config.feed_forward = 32;
    config.max_positions = 64;
    config.task_heads.masked_lm = true;
    config.task_heads.next_sentence = GetParam() == data::ExampleMode::kSentencePairs;
    const auto model = std::make_shared<encoders::Bert>(config, 3);
    if (!device.is_cpu()) counting::move_to_device(*model);
    PretrainingTaskOptions options;
    options.batches.examples.mode = GetParam();
    options.batches.batch_tokens = 200;
    options.phases = {{32, 0}};
    options.bf16 = bf16;
    options.device = device;
    return PretrainingTask(model, *corpus_, *corpus_, options).validate();
  }
};

TEST_P(PretrainingSteps, ValidationInBf16IsNearThatOfTheCpuInFp32) {
  const auto expected = validated(at::kCPU, false);
  const auto actual = validated(counting::counting_device(), true);
  ASSERT_EQ(actual.size(), expected.size());
  EXPECT_NEAR(actual.at("valid_loss"), expected.at("valid_loss"), 0.01);
  for (const auto& [name, value] : expected) {
    if (name != "valid_loss") {
      EXPECT_NEAR(actual.at(name), value, 10.0) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, PretrainingSteps,
                         testing::Values(data::ExampleMode::kDocument,
                                         data::ExampleMode::kSentencePairs));

}  // namespace
}  // namespace dietmt::bert
