#include "nmt/training/translation_task.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "encoders/attention/packing.h"
#include "nmt/network/model_directory.h"
#include "tests/common/test_directory.h"
#include "tests/data/corpus/parallel_corpus_fixture.h"
#include "training/optimization/optimizer.h"

namespace dietmt::nmt {
namespace {

using encoders::DropoutKeys;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TranslationTaskTest : public data::ParallelCorpusTest {
 protected:
  TranslationTaskTest() : corpus_(toy_corpus()) { options_.batches.batch_tokens = 3000; }

  static std::shared_ptr<TranslationModel> model(double dropout = 0.1) {
    ModelConfig config = ModelConfig::preset("tiny");
    config.encoder_layers = config.decoder_layers = 1;
    config.width = 32;
    config.feed_forward = 48;
    config.dropout = config.embedding_dropout = dropout;
    config.source_vocabulary = config.target_vocabulary = tokenizer().vocabulary_size();
    config.encoder_position = config.decoder_position = "diet-rel";
    return std::make_shared<TranslationModel>(config, 5);
  }

  TranslationTask task(std::shared_ptr<TranslationModel> model) const {
    return TranslationTask(std::move(model), corpus_, corpus_, tokenizer(), tokenizer(), options_);
  }

  // Losses of batches `from` .. `to`-1.
  static std::vector<double> losses(TranslationTask& task, int from, int to) {
    std::vector<double> found;
    for (int batch = from; batch < to; ++batch) {
      DropoutKeys dropout(static_cast<uint64_t>(batch));
      found.push_back(task.accumulate_gradients(dropout).loss());
    }
    return found;
  }

  data::ParallelCorpus corpus_;
  TranslationTaskOptions options_;
};

TEST_F(TranslationTaskTest, LossAndGradientAreThoseOfTheTargetsTokens) {
  options_.label_smoothing = 0;
  const auto network = model();
  TranslationTask training = task(network);
  DropoutKeys dropout(1);
  const training::BatchLoss loss = training.accumulate_gradients(dropout);
  const at::Tensor gradient = network->output_weight().grad().clone();
  for (at::Tensor& parameter : network->parameters()) parameter.mutable_grad().reset();

  const data::ParallelBatch batch = data::BatchIterator(corpus_, options_.batches).next();
  const encoders::Packing source = encoders::packing_of(batch.source, at::kCPU);
  const encoders::Packing target = encoders::packing_of(batch.target, at::kCPU);
  std::vector<int64_t> input;
  for (int64_t i = 0; i < batch.target.size(); ++i) {
    const auto& offsets = batch.target.offsets;
    const bool first = std::find(offsets.begin(), offsets.end(), i) != offsets.end();
    input.push_back(first ? tokenizer().begin_id()
                          : batch.target.tokens[static_cast<size_t>(i) - 1]);
  }
  DropoutKeys again(1);
  const at::Tensor memory =
      network->encode(encoders::ids_of(batch.source.tokens, at::kCPU), source, &again);
  const at::Tensor logits =
      network->logits(network->decode(at::tensor(input), target, memory, source, &again));
  const at::Tensor expected = at::cross_entropy_loss(
      logits, encoders::ids_of(batch.target.tokens, at::kCPU), {}, at::Reduction::Sum);
  expected.backward();

  EXPECT_EQ(loss.targets, batch.target.size());
  EXPECT_NEAR(loss.loss(), expected.item<double>(), 1e-2);
  EXPECT_NEAR(loss.target_loss(), loss.loss(), 1e-2);
  EXPECT_TRUE(at::allclose(gradient, network->output_weight().grad(), 1e-3, 1e-3));
}

TEST_F(TranslationTaskTest, SmoothingChangesOnlyTheLossOfTheGradient) {
  options_.label_smoothing = 0;
  TranslationTask plain = task(model());
  options_.label_smoothing = 0.3;
  TranslationTask smooth = task(model());
  DropoutKeys one(1), other(1);
  const training::BatchLoss expected = plain.accumulate_gradients(one);
  const training::BatchLoss loss = smooth.accumulate_gradients(other);
  EXPECT_NEAR(loss.target_loss(), expected.target_loss(), 1e-3);
  EXPECT_GT(std::abs(loss.loss() - expected.loss()), 1e-1);
}

TEST_F(TranslationTaskTest, GoesOnFromAnyPositionAsIfItHadNotStopped) {
  const auto network = model();
  TranslationTask whole = task(network);
  const int count = 2 + static_cast<int>(data::BatchIterator(corpus_, options_.batches)
                                             .batches_in_epoch());  // into the second epoch
  const std::vector<double> expected = losses(whole, 0, count);
  for (const int stop : {1, count - 1}) {
    TranslationTask first = task(network);
    losses(first, 0, stop);
    TranslationTask second = task(network);
    second.restore_data_position(first.data_position());
    EXPECT_DOUBLE_EQ(second.epoch(), first.epoch());
    EXPECT_EQ(losses(second, stop, count),
              std::vector<double>(expected.begin() + stop, expected.end()));
  }
}

TEST_F(TranslationTaskTest, ASkippedBatchIsTheOneOfAnotherProcess) {
  const auto network = model();
  TranslationTask every = task(network);
  const std::vector<double> expected = losses(every, 0, 3);
  TranslationTask skipping = task(network);
  skipping.skip_batch();
  skipping.skip_batch();
  EXPECT_THAT(losses(skipping, 2, 3), ElementsAre(expected[2]));
}

// The loss of one batch and all gradients; undefined ones are absent.
std::pair<double, std::vector<at::Tensor>> one_batch(TranslationTask& task, uint64_t key) {
  DropoutKeys dropout(key);
  task.model().zero_grad();
  const double loss = task.accumulate_gradients(dropout).loss();
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : task.model().parameters())
    if (parameter.grad().defined()) gradients.push_back(parameter.grad().clone());
  return {loss, gradients};
}

// Weights as numbers of copies: the sums and gradients of a text in which pairs stand that often.
TEST_F(TranslationTaskTest, WeightsCountPairs) {
  options_.batches.batch_tokens = 100'000;  // one batch
  const std::vector<float> weights = {1, 0, 2, 1, 0, 3};
  const data::ParallelCorpus weighted = weighted_corpus("weights", weights);
  std::vector<std::string> sources, targets;
  for (size_t pair = 0; pair < weights.size(); ++pair)
    for (int copy = 0; copy < static_cast<int>(weights[pair]); ++copy) {
      sources.push_back(text_.source[pair]);
      targets.push_back(text_.target[pair]);
    }
  const data::ParallelCorpus copies = corpus_of({write("copies.source", joined_lines(sources))},
                                                {write("copies.target", joined_lines(targets))});
  for (const double r_drop : {0.0, 3.0}) {
    options_.r_drop = r_drop;
    const auto network = model(0);
    const auto batch_of = [&](const data::ParallelCorpus& text) {
      TranslationTask training(network, text, corpus_, tokenizer(), tokenizer(), options_);
      DropoutKeys dropout(1);
      network->zero_grad();
      const training::BatchLoss loss = training.accumulate_gradients(dropout);
      std::vector<at::Tensor> gradients;
      for (const at::Tensor& parameter : network->parameters())
        gradients.push_back(parameter.grad().clone());
      return std::pair(loss, gradients);
    };
    const auto [expected, of_copies] = batch_of(copies);
    const auto [found, of_weights] = batch_of(weighted);
    EXPECT_EQ(found.targets, expected.targets);
    EXPECT_NE(found.tokens, expected.tokens);
    EXPECT_NEAR(found.loss(), expected.loss(), 1e-5 * expected.loss());
    EXPECT_NEAR(found.target_loss(), expected.target_loss(), 1e-5 * expected.loss());
    for (size_t i = 0; i < of_copies.size(); ++i)
      EXPECT_TRUE(at::allclose(of_weights[i], of_copies[i], 1e-3, 1e-3)) << i;
  }
}

TEST_F(TranslationTaskTest, WeightsOfOneChangeNoBit) {
  const auto network = model();
  const data::ParallelCorpus ones =
      weighted_corpus("weights", std::vector<float>(text_.source.size(), 1.0F));
  TranslationTask plain = task(network);
  const auto [expected, gradients] = one_batch(plain, 7);
  TranslationTask weighted(network, ones, corpus_, tokenizer(), tokenizer(), options_);
  const auto [loss, found] = one_batch(weighted, 7);
  EXPECT_EQ(loss, expected);
  ASSERT_EQ(found.size(), gradients.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(at::equal(found[i], gradients[i])) << i;
}

TEST_F(TranslationTaskTest, DropoutOfWordsAndLayersIsAFunctionOfTheKey) {
  const auto network = model(0);
  const double plain = losses(*std::make_unique<TranslationTask>(task(network)), 0, 1).front();
  const std::vector<TranslationModel::WholeDropout> kinds = {
      {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.999999}};
  for (const TranslationModel::WholeDropout& kind : kinds) {
    network->set_whole_dropout(kind);
    TranslationTask first = task(network), second = task(network);
    const double loss = one_batch(first, 1).first;
    EXPECT_EQ(one_batch(second, 1).first, loss);
    EXPECT_GT(std::abs(loss - plain), 1e-3);
    EXPECT_EQ(first.validate(), task(network).validate());
  }
  network->set_whole_dropout({});
  EXPECT_EQ(losses(*std::make_unique<TranslationTask>(task(network)), 0, 1).front(), plain);
}

TEST_F(TranslationTaskTest, DroppedLayersGetNoGradient) {
  const auto network = model(0);
  network->set_whole_dropout({0, 0, 0.999999});
  TranslationTask training = task(network);
  one_batch(training, 1);
  for (const auto& item : network->named_parameters()) {
    if (item.key().find(".layer0.") == std::string::npos) continue;
    EXPECT_FALSE(item.value().grad().defined()) << item.key();
  }
  EXPECT_TRUE(network->output_weight().grad().defined());
}

TEST_F(TranslationTaskTest, RDropComparesTwoPasses) {
  const auto network = model(0.3);
  TranslationTask plain = task(network);
  const double one_pass = one_batch(plain, 1).first;
  options_.r_drop = 1e-9;
  TranslationTask two = task(network);
  const double two_passes = one_batch(two, 1).first;
  EXPECT_NEAR(two_passes, one_pass, 0.05 * one_pass);
  EXPECT_NE(two_passes, one_pass);
  options_.r_drop = 5;
  TranslationTask agreeing = task(network);
  EXPECT_GT(one_batch(agreeing, 1).first, two_passes + 1.0);
  EXPECT_EQ(agreeing.validate(), plain.validate());
}

// Gradient buckets would wait for parts that never come.
TEST_F(TranslationTaskTest, SeveralProcessesCannotTrainAllThatOneCan) {
  options_.r_drop = 5.0;
  const auto problems = [&](bool recomputes, double layer_drop) {
    const auto trained = model();
    options_.recomputes = recomputes;
    trained->set_whole_dropout({0.0, 0.0, layer_drop});
    return task(trained).problems_of_several();
  };
  EXPECT_THAT(problems(true, 0.2), ElementsAre(HasSubstr("need --processes 1")));
  EXPECT_THAT(problems(true, 0.0), ElementsAre());
  EXPECT_THAT(problems(false, 0.2), ElementsAre());
}

TEST_F(TranslationTaskTest, RefusesTheCheckpointOfOtherText) {
  TranslationTask training = task(model());
  for (const std::string text : {"training", "validation"}) {
    nlohmann::json position = training.data_position();
    position[text] = position[text].get<uint64_t>() + 1;
    EXPECT_THAT(message_of<ConfigError>([&] { training.restore_data_position(position); }),
                HasSubstr("the " + text + " text differs"));
  }
}

TEST_F(TranslationTaskTest, ValidationWithLinesTranslatesThem) {
  EXPECT_THAT(task(model()).score_names(), ElementsAre("valid_loss"));
  options_.validation.texts = {{{text_.source.begin(), text_.source.begin() + 4},
                                {text_.target.begin(), text_.target.begin() + 4}}};
  options_.validation.search.beam = 1;
  options_.validation.search.max_length_offset = 5;
  TranslationTask training = task(model());
  const std::map<std::string, double> scores = training.validate();
  EXPECT_THAT(training.score_names(), ElementsAre("valid_loss", "bleu", "chrf"));
  for (const std::string& name : training.score_names()) EXPECT_EQ(scores.count(name), 1U) << name;
  for (const at::Tensor& parameter : training.model().parameters())
    EXPECT_FALSE(parameter.grad().defined());
}

TEST_F(TranslationTaskTest, TheValidationLossIsTheMeanOverAllTokens) {
  TranslationTask training = task(model(0));
  const double valid_loss = training.validate().at("valid_loss");
  double loss = 0;
  double targets = 0.0;
  while (targets < corpus_.report().target_tokens) {
    DropoutKeys dropout(1);
    const training::BatchLoss batch = training.accumulate_gradients(dropout);
    loss += batch.target_loss();
    targets += batch.targets;
  }
  EXPECT_EQ(targets, corpus_.report().target_tokens);
  EXPECT_NEAR(valid_loss, loss / targets, 1e-4);
}

TEST_F(TranslationTaskTest, TheWrittenModelHasTheWeightsAndTheTokenizers) {
  const auto network = model();
  TranslationTask training = task(network);
  training::NamedTensors weights;
  for (const auto& item : network->named_parameters())
    weights.emplace_back(item.key(), item.value());
  training.write_model(scratch(), weights);
  const LoadedModel loaded = load_model(scratch());
  EXPECT_TRUE(at::equal(loaded.model->output_weight(), network->output_weight()));
  EXPECT_EQ(loaded.source_tokenizer->serialized(), tokenizer().serialized());
}

}  // namespace
}  // namespace dietmt::nmt
