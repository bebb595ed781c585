// Steps and validation of BERT pre-training in bf16 on the counting device.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "bert/training/pretraining_task.h"
#include "tests/bert/training/toy_text.h"
#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/step_report.h"

namespace dietmt::bert {
namespace {

class PretrainingSteps : public ToyTextTest, public testing::WithParamInterface<data::ExampleMode> {
 protected:
  PretrainingTask task(at::Device device, bool bf16) const {
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
    return PretrainingTask(model, texts(), *corpus_, options);
  }

  std::map<std::string, double> validated(at::Device device, bool bf16) const {
    return task(device, bf16).validate();
  }
};

TEST_P(PretrainingSteps, TrainingDoesNotWait) {
  const encoders::WithoutGraphs without_graphs;
  for (const bool bf16 : {false, true}) {
    const counting::StepReport report = counting::report_of_step(2, 4, [&](int64_t updates) {
      PretrainingTask trained = task(counting::counting_device(), bf16);
      training::TrainerOptions options;
      options.max_updates = updates;
      options.log_interval = 1000;
      options.output = scratch() / (std::to_string(updates) + (bf16 ? "bf16" : "fp32"));
      std::filesystem::create_directories(options.output);
      training::train(trained, options, {}, false);
    });
    counting::print_if_wanted(bf16 ? "pre-training, bf16" : "pre-training, fp32", report);
    EXPECT_EQ(report.waits, 0.0) << counting::text_of_waits(report);
    EXPECT_GT(report.launches, 20.0);
  }
}

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
