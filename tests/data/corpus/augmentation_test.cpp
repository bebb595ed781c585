#include "data/corpus/augmentation.h"

#include <gmock/gmock.h>

#include <map>

#include "common/error.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(AugmentationRates, NamesThePartThatIsWrong) {
  const AugmentationRates rates = AugmentationRates::parse("upper:0.05,typos:0.5,noise:1e-3");
  EXPECT_EQ(rates.upper, 0.05);
  EXPECT_EQ(rates.title, 0.0);
  EXPECT_EQ(rates.typos, 0.5);
  EXPECT_EQ(rates.noise, 0.001);
  for (const char* part : {"uper:0.1", "upper", "upper:", "upper:0", "upper:-1", "upper:1.5",
                           "upper:0.1x", "upper:nan", ":0.1"})
    EXPECT_THAT(message_of<ConfigError>(
                    [&] { AugmentationRates::parse(std::string("title:0.1,") + part); }),
                HasSubstr(std::string("'") + part + "' is not a change"));
  EXPECT_THAT(message_of<ConfigError>([] { AugmentationRates::parse("upper:0.1,upper:0.1"); }),
              HasSubstr("'upper' is given twice"));
  EXPECT_THAT(message_of<ConfigError>([] { AugmentationRates::parse("upper:0.6,lower:0.6"); }),
              HasSubstr("more than 1"));
}

TEST(AugmentationRates, ListsTheKindsForOneThatDoesNotExist) {
  EXPECT_THAT(message_of<ConfigError>([] { AugmentationRates::parse("tags:0.1"); }),
              AllOf(HasSubstr("'tags:0.1'"), HasSubstr(": upper, title, lower, typos or noise,")));
}

class AugmentationTest : public ScratchTest {
 protected:
  static constexpr const char* kSource = "<2de> the green dog %s";
  static constexpr const char* kTarget = "der große Hund %s";

  AugmentationTest() : tokenizer_(trained(/*has_bytes=*/true)) {}

  std::shared_ptr<const Tokenizer> trained(bool has_bytes) {
    TokenizerOptions options;
    options.inputs = {
        write("text", std::string(kSource) + '\n' + kTarget +
                          "\nDER GROSSE HUND THE GREEN DOG Grosse Der The Green Dog\n")};
    options.vocabulary_size = has_bytes ? 330 : 60;
    options.may_shrink = true;
    options.byte_fallback = has_bytes;
    options.tags = {"<2de>"};
    const auto file = scratch() / (has_bytes ? "bytes.model" : "plain.model");
    train_tokenizer(options, file);
    return std::make_shared<const Tokenizer>(file);
  }

  std::vector<int32_t> ids(std::string_view text) const {
    std::vector<int32_t> pieces = tokenizer_->encode(text);
    pieces.push_back(tokenizer_->end_id());
    return pieces;
  }

  using Texts = std::pair<std::string, std::string>;

  Texts changed(const std::string& rates, uint64_t key = 1) const {
    const Augmentation augmentation(AugmentationRates::parse(rates), tokenizer_, tokenizer_,
                                    {"<2de>"});
    const DrawnPair pair = augmentation.changed({ids(kSource), ids(kTarget)}, key);
    EXPECT_EQ(pair.source.back(), tokenizer_->end_id());
    EXPECT_EQ(pair.target.back(), tokenizer_->end_id());
    return {tokenizer_->decode(pair.source), tokenizer_->decode(pair.target)};
  }

  std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_F(AugmentationTest, ChangesTheCaseOfBothSidesButNoTags) {
  EXPECT_EQ(changed("upper:1"), Texts("<2de> THE GREEN DOG %s", "DER GROSSE HUND %s"));
  EXPECT_EQ(changed("title:1"), Texts("<2de> The Green Dog %s", "Der Große Hund %s"));
  EXPECT_EQ(changed("lower:1"), Texts("<2de> the green dog %s", "der große hund %s"));
}

TEST_F(AugmentationTest, OnlySourcesHaveTypingErrors) {
  std::map<std::string, int> sources;
  for (uint64_t key = 0; key < 50; ++key) {
    const auto [source, target] = changed("typos:1", key);
    EXPECT_EQ(target, kTarget);
    ++sources[source];
  }
  EXPECT_LT(sources[kSource], 10) << "if two letters that are alike change places";
  EXPECT_EQ(sources.count("<2de> the gren dog %s"), 1);
  EXPECT_GT(sources.size(), 5U);
}

TEST_F(AugmentationTest, NoiseIsTheSameOnBothSides) {
  const auto [source, target] = changed("noise:1");
  EXPECT_EQ(source, "<2de> " + target);
  EXPECT_NE(target, kTarget);
  EXPECT_NE(changed("noise:1", 2).second, target);
  EXPECT_EQ(changed("noise:1").second, target);
  EXPECT_THAT(message_of<ConfigError>([&] {
                Augmentation(AugmentationRates::parse("noise:0.1"), trained(false), tokenizer_, {});
              }),
              HasSubstr("plain.model lacks: train tokenizers with --byte-fallback"));
}

TEST_F(AugmentationTest, ChangesTheSharesThatAreWanted) {
  std::map<std::string, int> targets;
  for (uint64_t key = 0; key < 1000; ++key) ++targets[changed("upper:0.2,lower:0.3", key).second];
  EXPECT_NEAR(targets["DER GROSSE HUND %s"], 200, 50);
  EXPECT_NEAR(targets["der große hund %s"], 300, 50);
  EXPECT_NEAR(targets[kTarget], 500, 50);
}

TEST_F(AugmentationTest, PairsWithoutThePiecesStay) {
  const auto plain = trained(false);
  const Augmentation augmentation(AugmentationRates::parse("upper:1"), plain, plain, {});
  const DrawnPair small = {plain->encode("große"), plain->encode("ß")};
  EXPECT_EQ(augmentation.changed(small, 1).target, plain->encode("SS"));
  const DrawnPair lacking = {plain->encode("dog"), plain->encode("q")};
  EXPECT_EQ(augmentation.changed(lacking, 1), lacking);
}

}  // namespace
}  // namespace dietmt::data
