#include "bert/training/pretraining_task.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "encoders/attention/packing.h"
#include "tests/bert/training/toy_text.h"
#include "training/optimization/optimizer.h"

namespace dietmt::bert {
namespace {

using encoders::Bert;
using encoders::DropoutKeys;

class PretrainingTaskTest : public ToyTextTest {
 protected:
  std::shared_ptr<Bert> model(bool pairs = false) const {
    encoders::BertConfig config = encoders::BertConfig::preset("tiny");
    config.vocabulary = tokenizer_->vocabulary_size();
    config.width = 32;
    config.feed_forward = 32;
    config.max_positions = 64;
    config.task_heads.masked_lm = true;
    config.task_heads.next_sentence = pairs;
    return std::make_shared<Bert>(config, 3);
  }

  PretrainingTaskOptions options(data::ExampleMode mode = data::ExampleMode::kDocument) const {
    PretrainingTaskOptions options;
    options.batches.examples.mode = mode;
    options.batches.batch_tokens = 200;
    options.phases = {{32, 0}};
    return options;
  }

  PretrainingTask task(const std::shared_ptr<Bert>& bert, const PretrainingTaskOptions& o) const {
    return PretrainingTask(bert, texts(), *corpus_, o);
  }
};

void drop_gradients(Bert& model) {
  for (at::Tensor& parameter : model.parameters()) parameter.mutable_grad().reset();
}

std::vector<double> losses(PretrainingTask& task, int count) {
  std::vector<double> found;
  for (int i = 0; i < count; ++i) {
    DropoutKeys dropout(static_cast<uint64_t>(found.size()));
    found.push_back(task.accumulate_gradients(dropout).loss());
  }
  return found;
}

TEST_F(PretrainingTaskTest, LossAndGradientAreThoseOfTheMaskedPieces) {
  const auto bert = model();
  PretrainingTask training = task(bert, options());
  data::PretrainingOptions same = options().batches;
  same.examples.length = 32;
  data::PretrainingIterator batches(texts(), same);
  const data::PretrainingBatch batch = batches.next();

  DropoutKeys dropout(7);
  const training::BatchLoss loss = training.accumulate_gradients(dropout);
  const at::Tensor gradient = bert->encoder().piece_embedding().grad().clone();
  drop_gradients(*bert);

  DropoutKeys again(7);
  encoders::Packing packing = encoders::packing_of(batch.tokens, at::kCPU);
  packing.set_segments(encoders::ids_of(batch.segments, at::kCPU));
  const at::Tensor hidden =
      bert->encoder().forward(encoders::ids_of(batch.tokens.tokens, at::kCPU), packing, &again);
  const at::Tensor logits =
      bert->masked_lm().logits(hidden.index_select(0, at::tensor(batch.masked_rows)));
  const at::Tensor expected = at::cross_entropy_loss(
      logits, encoders::ids_of(batch.masked_ids, at::kCPU), {}, at::Reduction::Sum);
  expected.backward();

  EXPECT_EQ(loss.targets, std::ssize(batch.masked_ids));
  EXPECT_EQ(loss.tokens, batch.tokens.size());
  EXPECT_NEAR(loss.loss(), expected.item<double>(), 1e-3);
  EXPECT_NEAR(loss.target_loss(), loss.loss(), 1e-3);
  EXPECT_TRUE(at::allclose(gradient, bert->encoder().piece_embedding().grad(), 1e-3, 1e-4));
}

TEST_F(PretrainingTaskTest, PairsAddTheMeanLossOfTheNextSentence) {
  const auto bert = model(true);
  PretrainingTask training = task(bert, options(data::ExampleMode::kSentencePairs));
  DropoutKeys dropout(1);
  const training::BatchLoss loss = training.accumulate_gradients(dropout);
  // An untrained head is undecided: ln 2 per pair, weighted like the mean over masked pieces.
  const double next = (loss.loss() - loss.target_loss()) / loss.targets;
  EXPECT_NEAR(next, std::log(2.0), 0.1);
  for (const auto& item : bert->named_parameters()) {
    if (item.key().starts_with("next_sentence")) {
      EXPECT_TRUE(item.value().grad().defined()) << item.key();
    }
  }
  EXPECT_THAT(training.validate(), testing::Contains(testing::Key("next_sentence_accuracy")));
}

TEST_F(PretrainingTaskTest, APhaseLastsItsUpdatesAndChangesTheLength) {
  PretrainingTaskOptions phased = options(data::ExampleMode::kFullSentences);
  phased.phases = {{16, 2}, {64, 0}};
  phased.accumulate = 2;
  const auto bert = model();
  PretrainingTask training = task(bert, phased);
  const auto scores = training.validate();
  double before = 0;
  for (int batch = 0; batch < 6; ++batch) {
    DropoutKeys dropout(1);
    training.accumulate_gradients(dropout);
    EXPECT_EQ(training.data_position().at("phase"), batch < 4 ? 0 : 1) << batch;
    EXPECT_GT(training.epoch(), before);
    before = training.epoch();
  }
  EXPECT_EQ(training.validate(), scores);  // same weights, at the length of the last phase
}

TEST_F(PretrainingTaskTest, GoesOnFromAnyPositionAsIfItHadNotStopped) {
  PretrainingTaskOptions phased = options();
  phased.phases = {{16, 3}, {32, 0}};
  const auto bert = model();
  PretrainingTask whole = task(bert, phased);
  const std::vector<double> expected = losses(whole, 7);
  for (const int stop : {1, 3, 5}) {
    PretrainingTask first = task(bert, phased);
    losses(first, stop);
    PretrainingTask second = task(bert, phased);
    second.restore_data_position(first.data_position());
    EXPECT_DOUBLE_EQ(second.epoch(), first.epoch());
    std::vector<double> rest;
    for (int i = stop; i < 7; ++i) {
      DropoutKeys dropout(static_cast<uint64_t>(i));
      rest.push_back(second.accumulate_gradients(dropout).loss());
    }
    EXPECT_EQ(rest, std::vector<double>(expected.begin() + stop, expected.end())) << stop;
  }
}

TEST_F(PretrainingTaskTest, RefusesOtherTrainingAndValidationText) {
  const auto bert = model();
  const nlohmann::json position = task(bert, options()).data_position();
  const data::TextCorpus other({write("other.txt", "w1 w2 w3\nw4 w5\n\nw6 w7\n")}, *tokenizer_,
                               data::TextOptions{}, scratch() / "other-cache", 1);
  PretrainingTask trained_on_other(bert, std::span(&other, 1), *corpus_, options());
  EXPECT_THROW(trained_on_other.restore_data_position(position), ConfigError);
  PretrainingTask validated_on_other(bert, texts(), other, options());
  EXPECT_THROW(validated_on_other.restore_data_position(position), ConfigError);
}

// The tokenizer knows no word of the second document.
TEST_F(PretrainingTaskTest, BatchesWithNothingToMaskContributeNothing) {
  const auto vocabulary =
      data::load_bert_tokenizer(write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nred\n"));
  const auto corpus_of = [&](const std::string& name, const std::string& text) {
    return data::TextCorpus({write(name + ".txt", text)}, *vocabulary, data::TextOptions{},
                            scratch() / (name + "-cache"), 1);
  };
  const data::TextCorpus train = corpus_of("train", "red red red\n\nblue blue blue\n");
  const data::TextCorpus unknown = corpus_of("unknown", "blue blue\n");
  const auto bert = model();
  PretrainingTaskOptions single = options();
  single.batches.batch_tokens = 1;
  const std::span texts(&train, 1);
  PretrainingTask training(bert, texts, train, single);
  double targets = 0.0;
  for (int batch = 0; batch < 2; ++batch) {
    DropoutKeys dropout(1);
    const training::BatchLoss loss = training.accumulate_gradients(dropout);
    EXPECT_EQ(loss.targets == 0.0, loss.loss() == 0.0);
    targets += loss.targets;
  }
  EXPECT_EQ(targets, 1.0);
  for (const at::Tensor& parameter : bert->parameters()) {
    EXPECT_TRUE(!parameter.grad().defined() || at::isfinite(parameter.grad()).all().item<bool>());
  }
  EXPECT_GT(training.validate().at("valid_loss"), 0.0);
  EXPECT_THROW(PretrainingTask(bert, texts, unknown, single), DataError);
}

TEST_F(PretrainingTaskTest, RefusesAPhaseThatItDoesNotHave) {
  const auto bert = model();
  PretrainingTask training = task(bert, options());
  nlohmann::json position = training.data_position();
  position["phase"] = 1;
  EXPECT_THROW(training.restore_data_position(position), CheckpointError);
}

TEST_F(PretrainingTaskTest, LearnsAndStoresWhatItLearned) {
  const auto bert = model();
  PretrainingTask training = task(bert, options());
  const double before = training.validate().at("valid_loss");
  training::Optimizer optimizer(*bert, {});
  for (int update = 0; update < 60; ++update) {
    optimizer.zero_gradients();
    DropoutKeys dropout(static_cast<uint64_t>(update));
    const training::BatchLoss loss = training.accumulate_gradients(dropout);
    optimizer.scale_and_clip(1.0 / loss.targets, 1.0);
    optimizer.step(3e-3);
  }
  const std::map<std::string, double> after = training.validate();
  EXPECT_LT(after.at("valid_loss"), before - 0.5);
  EXPECT_GT(after.at("mlm_accuracy"), 15.0);

  training::NamedTensors weights;
  for (const auto& item : bert->named_parameters()) weights.emplace_back(item.key(), item.value());
  training.write_model(scratch(), weights);
  PretrainingTask loaded = task(load_bert(scratch()), options());
  EXPECT_EQ(loaded.validate(), after);
}

}  // namespace
}  // namespace dietmt::bert
