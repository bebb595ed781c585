// Training with passes as graphs of the counting device: the weights equal those of training
// without graphs, bit for bit.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/common/log_capture.h"
#include "tests/counting_device/recording.h"
#include "tests/counting_device/step_comparison.h"
#include "tests/counting_device/step_report.h"
#include "tests/counting_device/translation_steps.h"

namespace dietmt::nmt {
namespace {

using counting::StepReport;
using encoders::Encoding;

class RecordedTraining : public TranslationStepsTest {
 protected:
  struct Trained {
    std::shared_ptr<TranslationModel> model;
    int64_t in_graphs = 0;
    std::string log;
  };

  Trained trained(const ModelConfig& config, training::TrainerOptions options,
                  const data::ParallelCorpus& text, int64_t batch_tokens, bool bf16 = false) const {
    Trained result{model(config, counting::counting_device()), 0, {}};
    TranslationTask trained = task(result.model, text, batch_tokens, bf16);
    const LogCapture logged;
    counting::reset_counts();
    train(trained, std::move(options));
    result.in_graphs = counting::counts().in_graphs;
    result.log = logged.text();
    return result;
  }

  // The same padded batches, with and without graphs.
  void expect_equal_weights(const ModelConfig& config, const training::TrainerOptions& options,
                            const data::ParallelCorpus& text, int64_t batch_tokens = 600,
                            bool bf16 = false) const {
    std::optional<counting::RefusedRecordings> refused(std::in_place);
    const Trained expected = trained(config, options, text, batch_tokens, bf16);
    refused.reset();
    const Trained actual = trained(config, options, text, batch_tokens, bf16);
    EXPECT_EQ(expected.in_graphs, 0);
    EXPECT_GT(actual.in_graphs, 0);
    EXPECT_EQ(actual.log.find("without graphs"), std::string::npos) << actual.log;
    const auto weights = actual.model->named_parameters();
    for (const auto& item : expected.model->named_parameters())
      EXPECT_TRUE(at::equal(weights[item.key()].cpu(), item.value().cpu())) << item.key();
  }

  static training::TrainerOptions updates(int64_t count, int64_t accumulate = 1) {
    training::TrainerOptions options;
    options.max_updates = count;
    options.accumulate = accumulate;
    return options;
  }
};

class RecordedTrainings : public RecordedTraining, public testing::WithParamInterface<Encoding> {};

// Each batch is replayed several times; with --accumulate, several times in an update.
TEST_P(RecordedTrainings, GiveTheWeightsOfTrainingWithoutGraphs) {
  const ModelConfig config = RecordedTraining::config(GetParam());
  expect_equal_weights(config, updates(12), valid_corpus_);
  expect_equal_weights(config, updates(5, 3), valid_corpus_);
}

INSTANTIATE_TEST_SUITE_P(Encodings, RecordedTrainings,
                         testing::ValuesIn(encodings_without_segments()),
                         counting::name_of_encoding);

TEST_P(RecordedTrainings, GiveTheSameWeightsInBf16) {
  expect_equal_weights(RecordedTraining::config(GetParam()), updates(6), valid_corpus_, 600, true);
}

// Fillers add zeros to all sums, and different tiles of work change rounding errors.
TEST_P(RecordedTrainings, FillersChangeNeitherLossesNorGradients) {
  ModelConfig config = RecordedTraining::config(GetParam());
  config.dropout = config.attention_dropout = config.activation_dropout = config.embedding_dropout =
      0.0;
  const auto plain = model(config, counting::counting_device());
  const auto filled = model(config, counting::counting_device());
  std::optional<encoders::WithoutGraphs> without_graphs(std::in_place);
  TranslationTask on_plain = task(plain, corpus_);
  without_graphs.reset();
  TranslationTask on_filled = task(filled, corpus_);
  for (int batch = 0; batch < 2; ++batch) {
    plain->zero_grad();
    filled->zero_grad();
    counting::expect_same_losses_and_gradients(on_filled, on_plain);
  }
}

// A graph reads the weights of the batch that it is replayed for.
TEST_F(RecordedTraining, WeightsOfPairsReachTheGraphs) {
  std::vector<float> weights;
  for (int i = 0; i < 60; ++i) weights.push_back(static_cast<float>(i % 5) / 2);
  const data::ParallelCorpus weighted = weighted_corpus("weights", weights, {.max_tokens = 60});
  ModelConfig small = config({"diet-rel", 0});
  expect_equal_weights(small, updates(30), weighted, 100);
  small.dropout = small.attention_dropout = small.activation_dropout = small.embedding_dropout =
      0.0;
  const auto plain = model(small, at::kCPU), filled = model(small, counting::counting_device());
  TranslationTask on_cpu = task(plain, weighted), on_device = task(filled, weighted);
  counting::expect_same_losses_and_gradients(on_device, on_cpu);
}

// The graph; copies of the batch and the dropout key into it and of the loss out of it; and the
// optimiser's launches, as in any step. A run may end with none or with five batches copied ahead.
TEST_F(RecordedTraining, CostsFourLaunchesAndTheOptimizer) {
  constexpr double kOptimizer = 20.0;
  constexpr int64_t kFew = 20, kMany = 60;
  const StepReport report = counting::report_of_step(kFew, kMany, [&](int64_t count) {
    trained(config({"diet-rel", 0}), updates(count), valid_corpus_, 600);
  });
  counting::print_if_wanted("recorded training", report);
  EXPECT_EQ(report.waits, 0.0) << counting::text_of_waits(report);
  EXPECT_LE(report.launches, 4.0 + kOptimizer);
  EXPECT_GE(report.in_graphs, 60.0);
  EXPECT_LE(report.copies, 3.0 + 5.0 / (kMany - kFew)) << "batch, key and loss";
}

// Small batches, many with equal sizes but other sentences. Longer validation sentences make longer
// position tables than those that graphs read.
TEST_F(RecordedTraining, GoesOnWithOtherSentencesWhileTablesGrow) {
  const data::ParallelCorpus short_pairs = toy_corpus({.max_tokens = 14});
  training::TrainerOptions options = updates(96);
  options.valid_interval = 32;
  expect_equal_weights(config({"sinusoidal", 0}), options, short_pairs, 30);
}

}  // namespace
}  // namespace dietmt::nmt
