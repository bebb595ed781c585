// BERT pre-training on a device compared with the CPU.
#include <gtest/gtest.h>

#include "bert/training/pretraining_task.h"
#include "encoders/device/device_graphs.h"
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

  std::unique_ptr<PretrainingTask> task(at::Device device, bool bf16 = false) const {
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
    options.bf16 = bf16;
    options.device = device;
    return std::make_unique<PretrainingTask>(bert, texts(), *corpus_, options);
  }
};

// Without graphs, for which batches are padded, so that attention would drop other elements.
TEST_P(BertParity, LossAndGradientsAreThoseOfTheCpu) {
  encoders::allow_graphs(false);
  const auto on_device = task(tested_device());
  encoders::allow_graphs(true);
  expect_within(step_of(*on_device, 11), step_of(*task(at::kCPU), 11), 1e-4);
}

TEST_P(BertParity, GraphsGiveTheSameBits) {
  constexpr uint64_t kBatches = 3;
  for (const bool bf16 : {false, true}) {
    const auto trained = task(tested_device(), bf16);
    const nlohmann::json start = trained->data_position();
    std::vector<StepResult> results;
    // Enqueued, recorded, and replayed.
    for (int repeat = 0; repeat < 3; ++repeat) {
      trained->restore_data_position(start);
      for (uint64_t batch = 0; batch < kBatches; ++batch)
        results.push_back(step_of(*trained, batch));
    }
    for (size_t i = kBatches; i < results.size(); ++i)
      expect_same_bits(results[i], results[i % kBatches]);
    EXPECT_GT(trained->graphs(), 0U) << "passes were not recorded";
  }
}

INSTANTIATE_TEST_SUITE_P(PositionsAndSegments, BertParity,
                         testing::Values(Encodings{"learned", "input"}, Encodings{"none", "none"},
                                         Encodings{"diet-rel(clip=8)", "heads"},
                                         Encodings{"tupe-r", "input"},
                                         Encodings{"diet-abs", "heads"},
                                         Encodings{"relative-key-query(clip=8)", "input"}));

}  // namespace
}  // namespace dietmt::bert
