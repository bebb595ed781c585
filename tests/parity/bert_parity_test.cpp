// Pre-training of BERT encoders on a device beside the CPU.
#include <gtest/gtest.h>

#include "bert/training/pretraining_task.h"
#include "tests/bert/training/toy_text.h"
#include "tests/parity/gaps.h"
#include "tests/parity/tested_device.h"

namespace dietmt::bert {
namespace {

/// --position and --segment-encoding.
using Encodings = std::pair<std::string, std::string>;

class BertParity : public ToyTextTest, public testing::WithParamInterface<Encodings> {
 protected:
  BertParity() : ToyTextTest(40) {}

  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
    tested_device();  // before the first backward pass, which counts the devices
  }

  StepResult step_on(at::Device device) const {
    encoders::BertConfig config = encoders::BertConfig::preset("tiny");
    config.vocabulary = tokenizer_->vocabulary_size();
    config.width = 64;
    config.heads = 2;
    config.feed_forward = 64;
    config.max_positions = 64;
    config.position = GetParam().first;
    config.segment_encoding = GetParam().second;
    config.task_heads.masked_lm = config.task_heads.next_sentence = true;
    const auto bert = std::make_shared<encoders::Bert>(config, 3);
    if (!device.is_cpu()) move_to_tested_device(*bert);
    PretrainingTaskOptions options;
    options.batches.examples.mode = data::ExampleMode::kSentencePairs;
    options.batches.batch_tokens = 150;
    options.phases = {{32, 0}};
    options.device = device;
    PretrainingTask task(bert, *corpus_, *corpus_, options);
    return step_of(task, 11);
  }
};

TEST_P(BertParity, LossAndGradientsAreThoseOfTheCpu) {
  expect_within(step_on(tested_device()), step_on(at::kCPU), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(PositionsAndSegments, BertParity,
                         testing::Values(Encodings{"learned", "input"}, Encodings{"none", "none"},
                                         Encodings{"diet-rel(clip=8)", "heads"},
                                         Encodings{"tupe-r", "input"},
                                         Encodings{"diet-abs", "heads"},
                                         Encodings{"relative-key-query(clip=8)", "input"}));

}  // namespace
}  // namespace dietmt::bert
