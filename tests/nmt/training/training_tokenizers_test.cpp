#include "nmt/training/training_tokenizers.h"

#include <gtest/gtest.h>

#include "data/text/tokenizer_training.h"
#include "tests/data/toy_text.h"

namespace dietmt::nmt {
namespace {

namespace fs = std::filesystem;

class TrainingTokenizersTest : public data::ToyTextTest {
 protected:
  TrainingTokenizersTest() : text_files_{{source_file()}, {target_file()}, {}} {
    choice_.options.vocabulary_size = 90;
  }

  Tokenizers made(bool trains = true) const {
    return training_tokenizers(choice_, text_files_, scratch(), trains);
  }
  bool has(const std::string& name) const { return fs::exists(scratch() / name); }

  TokenizerChoice choice_;
  TokenizerText text_files_;
};

TEST_F(TrainingTokenizersTest, AJointOneLearnsBothLanguages) {
  const Tokenizers tokenizers = made();
  EXPECT_EQ(tokenizers.source, tokenizers.target);
  EXPECT_EQ(tokenizers.source->vocabulary_size(), 90);
  EXPECT_TRUE(has("tokenizer.model"));
  const std::string target = text_.target.front();  // its umlauts are only in the target
  EXPECT_EQ(tokenizers.source->decode(tokenizers.source->encode(target)), target);
}

TEST_F(TrainingTokenizersTest, SeparateOnesLearnALanguageEach) {
  choice_.separate = true;
  const Tokenizers tokenizers = made();
  EXPECT_TRUE(has("source.tokenizer.model") && has("target.tokenizer.model"));
  EXPECT_FALSE(has("tokenizer.model"));
  const std::string target = text_.target.front();
  EXPECT_EQ(tokenizers.target->decode(tokenizers.target->encode(target)), target);
  EXPECT_NE(tokenizers.source->decode(tokenizers.source->encode(target)), target);
}

TEST_F(TrainingTokenizersTest, AnotherNormalizationOfTheTargetIsASecondModelOfTheSamePieces) {
  choice_.options.byte_fallback = true;
  choice_.options.vocabulary_size = 330;
  choice_.target_normalization = "nfc";
  const Tokenizers tokenizers = made();
  EXPECT_TRUE(has("source.tokenizer.model") && has("target.tokenizer.model"));
  EXPECT_EQ(tokenizers.source->vocabulary_size(), tokenizers.target->vocabulary_size());
  const auto round_trip = [](const data::Tokenizer& tokenizer) {
    return tokenizer.decode(tokenizer.encode("m²"));
  };
  EXPECT_EQ(round_trip(*tokenizers.source), "m2");
  EXPECT_EQ(round_trip(*tokenizers.target), "m²");
  EXPECT_EQ(made(false).target->serialized(), tokenizers.target->serialized());
  choice_.target_normalization = choice_.options.normalization;
  const Tokenizers joint = made();
  EXPECT_EQ(joint.source, joint.target);
  choice_.target_normalization = "none";
  choice_.separate = true;
  EXPECT_EQ(round_trip(*made().target), "m²");
}

TEST_F(TrainingTokenizersTest, TagsAreOnePieceOfTheSource) {
  choice_.separate = true;
  text_files_.source_tags = {"<2de>"};
  const Tokenizers tokenizers = made();
  EXPECT_EQ(tokenizers.source->encode("<2de>").size(), tokenizers.source->encode("").size() + 1);
  EXPECT_GT(tokenizers.target->encode("<2de>").size(), 1U);
}

TEST_F(TrainingTokenizersTest, ProcessesThatDoNotTrainReadWhatAnotherHasTrained) {
  const Tokenizers trained = made();
  const auto written = fs::last_write_time(scratch() / "tokenizer.model");
  text_files_.source = {"this file does not exist"};
  EXPECT_EQ(made(false).source->serialized(), trained.source->serialized());
  EXPECT_EQ(fs::last_write_time(scratch() / "tokenizer.model"), written);
}

TEST_F(TrainingTokenizersTest, GivenOnesAreReadAndNoneIsTrained) {
  const std::string own = (scratch() / "own.model").string();
  const std::string other = (scratch() / "other.model").string();
  data::TokenizerOptions options;
  options.inputs = {source_file()};
  options.vocabulary_size = 60;
  data::train_tokenizer(options, own);
  options.vocabulary_size = 70;
  data::train_tokenizer(options, other);

  choice_.source = own;
  choice_.target = other;
  EXPECT_EQ(made().source->vocabulary_size(), 60);
  EXPECT_EQ(made().target->vocabulary_size(), 70);
  choice_.joint = other;
  const Tokenizers joint = made();
  EXPECT_EQ(joint.source, joint.target);
  EXPECT_EQ(joint.source->vocabulary_size(), 70);
  EXPECT_FALSE(has("tokenizer.model"));
}

}  // namespace
}  // namespace dietmt::nmt
