// Gradient descent on tasks that a tiny model can learn, and invariants on the way.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "bert/finetuning/classification_task.h"
#include "bert/finetuning/span_task.h"
#include "bert/finetuning/tag_task.h"
#include "common/error.h"
#include "common/files.h"
#include "storage/checkpoint.h"
#include "tests/bert/finetuning/toy_task.h"

namespace dietmt::bert {
namespace {

using ::testing::ElementsAre;

class LearningTest : public ToyTaskTest {
 protected:
  // Class 1: contains "cat".
  LabelledInputs animals(int64_t count, uint64_t seed) const {
    Random random(seed);
    LabelledInputs set;
    std::vector<data::Example> examples;
    for (int64_t i = 0; i < count; ++i) {
      examples.push_back(
          {.first = random_words(random, 2 + static_cast<int64_t>(random.below(7)))});
      set.labels.push_back(examples.back().first.find("cat") == std::string::npos ? 0 : 1);
    }
    set.inputs = encode_examples(examples, tokenizer(), {16, false});
    return set;
  }

  // Six words "red" or "blue"; the label is the share of "red", from 10 to 20.
  LabelledInputs shares(int64_t count, uint64_t seed) const {
    Random random(seed);
    LabelledInputs set;
    std::vector<data::Example> examples;
    for (int64_t i = 0; i < count; ++i) {
      std::string text;
      int64_t red = 0;
      for (int64_t word = 0; word < 6; ++word) {
        const bool is_red = random.below(2) == 1;
        red += is_red ? 1 : 0;
        text += is_red ? "red " : "blue ";
      }
      examples.push_back({.first = text});
      set.values.push_back(10.0 + 10.0 * static_cast<double>(red) / 6.0);
    }
    set.inputs = encode_examples(examples, tokenizer(), {16, false});
    return set;
  }

  static TaskDescription classification() {
    TaskDescription description;
    description.task = own_task(data::TaskKind::kClassification, {"accuracy", "matthews"});
    description.task.target.labels = {"other", "cat"};
    return description;
  }

  std::map<std::string, double> best_scores(const training::TrainerOptions& trainer) const {
    return storage::newest_checkpoint(trainer.output)->scores;
  }
};

TEST_F(LearningTest, ClassesAreLearned) {
  const TaskDescription description = classification();
  const LabelledInputs train = animals(300, 1);
  std::vector<LabelledInputs> valid = {animals(100, 2), animals(100, 3)};
  valid[1].name = "mismatched";
  ClassificationTask task(model(description, 0.1), tokenizer(), description, train, valid,
                          options());
  EXPECT_THAT(task.score_names(), ElementsAre("accuracy", "accuracy_mismatched", "matthews",
                                              "matthews_mismatched", "valid_loss"));
  EXPECT_LT(task.validate().at("accuracy"), 90.0);
  const auto trainer = this->trainer("run", "accuracy", 300);
  training::train(task, trainer, {}, true);
  const auto scores = best_scores(trainer);
  EXPECT_GE(scores.at("accuracy"), 98.0);
  EXPECT_GE(scores.at("accuracy_mismatched"), 98.0);
  EXPECT_GE(scores.at("matthews"), 95.0);
  EXPECT_LT(scores.at("valid_loss"), 0.1);
}

TEST_F(LearningTest, NumbersAreLearnedOnTheirOwnScale) {
  TaskDescription description;
  description.task = own_task(data::TaskKind::kRegression, {"pearson", "spearman"});
  description.task.target.lowest = 10.0;
  description.task.target.highest = 20.0;
  const LabelledInputs train = shares(300, 1);
  const std::vector<LabelledInputs> valid = {shares(60, 2)};
  const auto model = this->model(description);
  ClassificationTask task(model, tokenizer(), description, train, valid, options());
  const auto trainer = this->trainer("run", "pearson", 300);
  training::train(task, trainer, {}, true);
  EXPECT_GE(best_scores(trainer).at("pearson"), 98.0);
  EXPECT_GE(best_scores(trainer).at("spearman"), 95.0);
  const std::vector<double> values =
      predicted_values(all_class_scores(*model, valid[0].inputs, {}), description.task.target);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], valid[0].values[i], 1.5);
}

// "red house" is the answer, wherever it is; without it there is no answer.
data::QuestionSet house_questions(int64_t count, uint64_t seed) {
  Random random(seed);
  data::QuestionSet set;
  for (int64_t i = 0; i < count; ++i) {
    const auto filler = [&] {
      std::string text;
      for (uint64_t words = random.below(12); words > 0; --words) text += "tree dog ";
      return text;
    };
    std::string context = filler();
    data::Question question{std::to_string(i), "where house", static_cast<size_t>(i), {}, true};
    if (random.below(4) > 0) {
      const int64_t begin = std::ssize(context);
      context += "red house ";
      question.answers = {{"red house", begin, begin + 9}};
      question.is_impossible = false;
    }
    set.contexts.push_back(context + filler() + "dog");
    set.questions.push_back(question);
  }
  return set;
}

// Names of places: "big" "house", and "tree house", a word of two pieces.
data::TaggedData places(int64_t count, uint64_t seed) {
  Random random(seed);
  data::TaggedData data;
  data.labels = {"B-LOC", "I-LOC", "O"};
  data.labelled = true;
  for (int64_t i = 0; i < count; ++i) {
    data::TaggedSentence sentence;
    for (uint64_t n = 1 + random.below(6); n > 0; --n) {
      if (random.below(2) == 0) {
        sentence.words.insert(sentence.words.end(), {"big", "house"});
        sentence.tags.insert(sentence.tags.end(), {0, 1});
      } else {
        sentence.words.insert(sentence.words.end(), {"dog", "tree house"});
        sentence.tags.insert(sentence.tags.end(), {2, 0});
      }
    }
    data.sentences.push_back(sentence);
  }
  return data;
}

TEST_F(LearningTest, TagsAreLearnedOverSeveralWindows) {
  TaskDescription description;
  description.task = own_task(data::TaskKind::kTags, {"f1", "accuracy"});
  description.task.target.labels = {"B-LOC", "I-LOC", "O"};
  const TagInputs train = encode_tags(places(200, 1), tokenizer(), 10);
  ASSERT_GT(train.inputs.size(), 250);
  std::vector<TagInputs> valid = {encode_tags(places(60, 2), tokenizer(), 10),
                                  encode_tags(places(60, 3), tokenizer(), 32)};
  valid[1].name = "de";
  TagTask task(model(description, 0.1), tokenizer(), description, train, valid, options());
  EXPECT_THAT(task.score_names(), ElementsAre("f1", "f1_de", "accuracy", "accuracy_de"));
  EXPECT_LT(task.validate().at("f1"), 60.0);
  const auto trainer = this->trainer("run", "f1", 80);
  training::train(task, trainer, {}, true);
  const auto scores = best_scores(trainer);
  EXPECT_GE(scores.at("f1"), 98.0);
  EXPECT_GE(scores.at("f1_de"), 95.0);
  EXPECT_GE(scores.at("accuracy"), 98.0);
}

// An update's loss is the mean over words, however many pieces and windows they have.
TEST_F(LearningTest, TheLossOfTagsIsAMeanOverWords) {
  TaskDescription description;
  description.task = own_task(data::TaskKind::kTags, {"f1"});
  description.task.target.labels = {"B-LOC", "I-LOC", "O"};
  const TagInputs train = encode_tags(places(16, 1), tokenizer(), 10);
  const std::vector<TagInputs> valid = {encode_tags(places(2, 2), tokenizer(), 10)};
  const auto model = this->model(description);
  FinetuningOptions all = options();
  all.batches.batch_size = train.inputs.size();
  TagTask task(model, tokenizer(), description, train, valid, all);
  encoders::DropoutKeys dropout(1);
  const training::BatchLoss loss = task.accumulate_gradients(dropout);
  EXPECT_EQ(loss.targets, train.data.words());
  // Scores near zero: -log(1/3) for each word.
  EXPECT_NEAR(loss.loss() / loss.targets, 1.0986, 0.15);
}

TEST_F(LearningTest, AnswersAreLearnedOverSeveralWindows) {
  TaskDescription description;
  description.task = own_task(data::TaskKind::kSpan, {"f1", "exact_match"});
  description.task.has_unanswerable = true;
  description.prediction.has_unanswerable = true;
  description.windows = {24, 8, 4};
  const SpanInputs train =
      encode_answers(house_questions(200, 1), tokenizer(), description.windows);
  ASSERT_GT(train.windows.size(), 300);
  const std::vector<QuestionInputs> valid = {
      encode_questions(house_questions(60, 2), tokenizer(), description.windows)};
  SpanTask task(model(description), tokenizer(), description, train, valid, options());
  EXPECT_THAT(task.score_names(), ElementsAre("f1", "exact_match", "best_f1", "best_exact_match"));
  const auto trainer = this->trainer("run", "f1", 200);
  training::train(task, trainer, {}, true);
  EXPECT_GE(best_scores(trainer).at("f1"), 95.0);
  EXPECT_GE(best_scores(trainer).at("exact_match"), 95.0);
  EXPECT_GE(best_scores(trainer).at("best_f1"), best_scores(trainer).at("f1"));
}

// The loss of windows of different lengths is the sum of their separate losses.
TEST_F(LearningTest, AWindowsLossIgnoresItsNeighbours) {
  TaskDescription description;
  description.task = own_task(data::TaskKind::kSpan, {"f1"});
  const auto model = this->model(description);
  const SpanInputs train = encode_answers(house_questions(2, 5), tokenizer(), {60, 30, 4});
  ASSERT_EQ(train.windows.size(), 2);
  ASSERT_NE(train.windows.length(0), train.windows.length(1));
  const auto loss_of = [&](const SpanInputs& inputs) {
    const std::vector<QuestionInputs> none;
    SpanTask task(model, tokenizer(), description, inputs, none, options());
    encoders::DropoutKeys keys(1);
    return task.accumulate_gradients(keys);
  };
  double sum = 0.0;
  for (int64_t i = 0; i < 2; ++i) {
    SpanInputs one;
    one.windows.append(train.windows.input(i), train.windows.second_begins[i]);
    one.labels = {train.labels[static_cast<size_t>(i)]};
    sum += loss_of(one).loss();
  }
  const training::BatchLoss both = loss_of(train);
  EXPECT_NEAR(both.loss(), sum, 1e-5);
  EXPECT_EQ(both.targets, 2);
  EXPECT_EQ(both.tokens, train.windows.tokens.size());
}

TEST_F(LearningTest, AnExamplesScoresDoNotDependOnItsNeighbours) {
  const TaskDescription description = classification();
  const auto model = this->model(description);
  const LabelledInputs set = animals(40, 1);
  const at::Tensor together = all_class_scores(*model, set.inputs, {});
  for (int64_t i = 0; i < set.inputs.size(); ++i) {
    EncodedInputs alone;
    alone.append(set.inputs.input(i), set.inputs.second_begins[static_cast<size_t>(i)]);
    EXPECT_TRUE(torch::allclose(all_class_scores(*model, alone, {})[0], together[i], 0.0, 1e-6));
  }
}

TEST_F(LearningTest, TheSecondTextIsToldApart) {
  const TaskDescription description = classification();
  const auto model = this->model(description);
  EncodedInputs inputs;
  const std::vector<int32_t> ids = {2, kFirstWord, 3, kFirstWord + 1, 3};
  inputs.append(ids, 3);
  inputs.append(ids, 5);
  const at::Tensor scores = all_class_scores(*model, inputs, {});
  EXPECT_GT((scores[0] - scores[1]).abs().max().item<float>(), 1e-6);
}

TEST_F(LearningTest, TrainingDropsAndValidationDoesNot) {
  const TaskDescription description = classification();
  const LabelledInputs train = animals(16, 1);
  const std::vector<LabelledInputs> valid = {animals(16, 1)};
  const auto model = this->model(description, 0.5);
  const auto loss_of = [&](uint64_t key) {
    ClassificationTask task(model, tokenizer(), description, train, valid, options());
    encoders::DropoutKeys keys(key);
    return task.accumulate_gradients(keys).loss() / 16.0;
  };
  EXPECT_EQ(loss_of(1), loss_of(1));
  EXPECT_NE(loss_of(1), loss_of(2));
  ClassificationTask task(model, tokenizer(), description, train, valid, options());
  const double validated = task.validate().at("valid_loss");
  EXPECT_EQ(validated, task.validate().at("valid_loss"));
  EXPECT_NE(validated, loss_of(1));
}

TEST_F(LearningTest, AResumedRunEndsInTheSameBits) {
  const TaskDescription description = classification();
  const LabelledInputs train = animals(100, 1);
  const std::vector<LabelledInputs> valid = {animals(20, 2)};
  const auto run = [&](const std::string& folder, int64_t updates) {
    ClassificationTask task(model(description, 0.1), tokenizer(), description, train, valid,
                            options());
    training::train(task, trainer(folder, "accuracy", updates), {}, true);
  };
  run("whole", 20);
  run("parts", 9);  // in the second epoch
  run("parts", 20);
  EXPECT_EQ(read_file(scratch() / "whole/last/model.safetensors"),
            read_file(scratch() / "parts/last/model.safetensors"));
}

TEST_F(LearningTest, ARunIsNotResumedWithOtherDataOrFromAnotherModel) {
  const TaskDescription description = classification();
  const auto train = [&](const LabelledInputs& examples, const std::vector<LabelledInputs>& valid,
                         int64_t updates, uint64_t start = 1) {
    FinetuningOptions chosen = options();
    chosen.start_hash = start;
    ClassificationTask task(model(description), tokenizer(), description, examples, valid, chosen);
    training::train(task, trainer("run", "accuracy", updates), {}, true);
  };
  const LabelledInputs examples = animals(40, 1);
  const std::vector<LabelledInputs> valid = {animals(20, 2)};
  train(examples, valid, 2);
  EXPECT_THROW(train(animals(40, 3), valid, 4), ConfigError);
  LabelledInputs relabelled = examples;
  relabelled.labels[7] = 1 - relabelled.labels[7];
  EXPECT_THROW(train(relabelled, valid, 4), ConfigError);
  EXPECT_THROW(train(examples, {animals(20, 4)}, 4), ConfigError);
  EXPECT_THROW(train(examples, valid, 4, 2), ConfigError);
  train(examples, valid, 4);
}

TEST_F(LearningTest, CheckpointsSayWhatTheyWereMadeFor) {
  TaskDescription description = classification();
  description.max_length = 16;
  const LabelledInputs train = animals(20, 1);
  const std::vector<LabelledInputs> valid = {animals(20, 2)};
  ClassificationTask task(model(description), tokenizer(), description, train, valid, options());
  training::train(task, trainer("run", "accuracy", 1), {}, true);
  const TaskDescription stored = read_task(scratch() / "run/last");
  EXPECT_THAT(stored.task.target.labels, ElementsAre("other", "cat"));
  EXPECT_EQ(stored.max_length, 16);
}

}  // namespace
}  // namespace dietmt::bert
