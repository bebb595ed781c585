// BERT pre-training with passes as graphs of the counting device: the weights equal those of
// training without graphs, and of training that was stopped, bit for bit.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "bert/training/pretraining_task.h"
#include "tests/bert/training/toy_text.h"
#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/recording.h"
#include "tests/counting_device/step_comparison.h"
#include "tests/counting_device/step_report.h"

namespace dietmt::bert {
namespace {

struct Variant {
  data::ExampleMode examples;
  std::string position;
  std::string segments;
  bool bf16 = false;
};

class RecordedPretraining : public ToyTextTest, public testing::WithParamInterface<Variant> {
 protected:
  std::shared_ptr<encoders::Bert> model(const Variant& variant, double dropout) const {
    encoders::BertConfig config = encoders::BertConfig::preset("tiny");
    config.vocabulary = tokenizer_->vocabulary_size();
    config.width = 32;
    config.feed_forward = 32;
    config.max_positions = 64;
    config.position = variant.position;
    config.segment_encoding = variant.segments;
    config.dropout = config.embedding_dropout = config.attention_dropout = dropout;
    config.task_heads.masked_lm = true;
    config.task_heads.next_sentence = variant.examples == data::ExampleMode::kSentencePairs;
    auto bert = std::make_shared<encoders::Bert>(config, 3);
    counting::move_to_device(*bert);
    return bert;
  }

  /// A second phase has longer examples.
  PretrainingTask task(const Variant& variant, const std::shared_ptr<encoders::Bert>& bert) const {
    PretrainingTaskOptions options;
    options.batches.examples.mode = variant.examples;
    options.batches.batch_tokens = 150;
    options.phases = {{16, 12}, {32, 0}};
    options.bf16 = variant.bf16;
    options.device = counting::counting_device();
    return PretrainingTask(bert, texts(), *corpus_, options);
  }

  struct Trained {
    std::shared_ptr<encoders::Bert> model;
    int64_t in_graphs = 0;
    size_t graphs = 0;  // of the second phase
  };
  /// `folder`: continues from what it contains.
  Trained trained(const Variant& variant, int64_t updates, const std::string& folder) const {
    Trained result{model(variant, 0.1)};
    PretrainingTask task = this->task(variant, result.model);
    training::TrainerOptions options;
    options.max_updates = updates;
    options.log_interval = 1000;
    options.output = scratch() / folder;
    std::filesystem::create_directories(options.output);
    counting::reset_counts();
    training::train(task, options, {}, true);
    result.in_graphs = counting::counts().in_graphs;
    result.graphs = task.graphs();
    return result;
  }

  static void expect_equal_weights(const encoders::Bert& actual, const encoders::Bert& expected) {
    const auto weights = actual.named_parameters();
    for (const auto& item : expected.named_parameters())
      EXPECT_TRUE(at::equal(weights[item.key()].cpu(), item.value().cpu())) << item.key();
  }
};

TEST_P(RecordedPretraining, GivesTheWeightsOfTrainingWithoutGraphs) {
  constexpr int64_t kUpdates = 30;
  std::optional<counting::RefusedRecordings> refused(std::in_place);
  const Trained expected = trained(GetParam(), kUpdates, "without");
  refused.reset();
  const Trained actual = trained(GetParam(), kUpdates, "with");
  EXPECT_EQ(expected.in_graphs, 0);
  EXPECT_GT(actual.in_graphs, 0);
  EXPECT_GT(actual.graphs, 0U);
  expect_equal_weights(*actual.model, *expected.model);
}

// In the second phase, whose sizes are recorded anew.
TEST_P(RecordedPretraining, GoesOnAfterAStop) {
  const Trained whole = trained(GetParam(), 30, "whole");
  trained(GetParam(), 20, "halves");
  const Trained resumed = trained(GetParam(), 30, "halves");
  EXPECT_GT(resumed.graphs, 0U);
  expect_equal_weights(*resumed.model, *whole.model);
}

class FilledPretraining : public RecordedPretraining {};

// Fillers add zeros to all sums, and different tiles of work change rounding errors.
TEST_P(FilledPretraining, FillersChangeNeitherLossesNorGradients) {
  const auto plain = model(GetParam(), 0.0);
  const auto filled = model(GetParam(), 0.0);
  std::optional<encoders::WithoutGraphs> without_graphs(std::in_place);
  PretrainingTask on_plain = task(GetParam(), plain);
  without_graphs.reset();
  PretrainingTask on_filled = task(GetParam(), filled);
  for (int batch = 0; batch < 3; ++batch) {
    plain->zero_grad();
    filled->zero_grad();
    counting::expect_same_losses_and_gradients(on_filled, on_plain);
  }
}

const Variant kVariants[] = {{data::ExampleMode::kFullSentences, "learned", "input"},
                             {data::ExampleMode::kDocument, "diet-rel", "heads"},
                             {data::ExampleMode::kSentencePairs, "diet-abs", "heads"},
                             {data::ExampleMode::kSentencePairs, "tupe-r", "input"},
                             {data::ExampleMode::kDocument, "relative-key-query(clip=8)", "none"}};
const Variant kBf16 = {data::ExampleMode::kSentencePairs, "diet-rel", "heads", true};

INSTANTIATE_TEST_SUITE_P(Variants, RecordedPretraining, testing::ValuesIn(kVariants));
INSTANTIATE_TEST_SUITE_P(Bf16, RecordedPretraining, testing::Values(kBf16));
INSTANTIATE_TEST_SUITE_P(Variants, FilledPretraining, testing::ValuesIn(kVariants));

}  // namespace
}  // namespace dietmt::bert
