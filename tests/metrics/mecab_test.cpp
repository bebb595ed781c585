// Expected words confirmed with sacreBLEU 2.6.0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <sstream>

#include "common/error.h"
#include "metrics/bleu.h"
#include "metrics/bleu_tokenizer.h"

namespace dietmt::metrics {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

std::string problem(const std::string& name, const std::string& dictionary) {
  try {
    mecab_tokenizer(name, dictionary);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

class MecabTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      japanese_ = mecab_tokenizer("ja-mecab", "");
    } catch (const ConfigError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::vector<std::string> words(std::string_view sentence) const {
    std::istringstream separated(japanese_->separated(sentence));
    return {std::istream_iterator<std::string>(separated), {}};
  }

  std::optional<GivenTokenizer> japanese_;
};

TEST(Mecab, HasTwoLanguages) {
  EXPECT_TRUE(is_mecab_tokenizer("ja-mecab"));
  EXPECT_TRUE(is_mecab_tokenizer("ko-mecab"));
  EXPECT_FALSE(is_mecab_tokenizer("zh-mecab"));
  EXPECT_EQ(problem("zh-mecab", ""), "MeCab has no tokenizer 'zh-mecab'");
}

TEST(Mecab, ADictionaryThatIsNotThereIsAProblemThatSaysWhatToDo) {
  EXPECT_THAT(problem("ja-mecab", "/nowhere"),
              AllOf(HasSubstr("--tokenize ja-mecab"),
                    HasSubstr("install libmecab2 and mecab-ipadic-utf8")));
  EXPECT_THAT(problem("ko-mecab", "/nowhere"), HasSubstr("install libmecab2 and mecab-ko-dic"));
}

TEST_F(MecabTest, SeparatesJapaneseWords) {
  EXPECT_THAT(words("  これは本です。 "), ElementsAre("これ", "は", "本", "です", "。"));
  EXPECT_THAT(words("私は、東京へ行きます!"),
              ElementsAre("私", "は", "、", "東京", "へ", "行き", "ます", "!"));
  EXPECT_THAT(words("Hello 世界"), ElementsAre("Hello", "世界"));
  EXPECT_THAT(words(""), IsEmpty());
}

TEST_F(MecabTest, ReadsASentenceOnlyToItsEnd) {
  const std::string text = "本です。これは";
  EXPECT_THAT(words(std::string_view(text).substr(0, 3)), ElementsAre("本"));
}

TEST_F(MecabTest, ItsSignatureNamesVersionAndDictionary) {
  EXPECT_THAT(japanese_->name, MatchesRegex("ja-mecab-[0-9.]+(/ko[-0-9.]*)?-IPA(-[0-9]+)?"));
}

TEST_F(MecabTest, TheDictionaryOfAnotherLanguageIsRefused) {
  EXPECT_THAT(problem("ko-mecab", ""), AllOf(HasSubstr("needs mecab-ko-dic with 811795 words"),
                                             HasSubstr("--mecab-dictionary")));
}

TEST_F(MecabTest, BleuCountsItsWords) {
  BleuOptions options;
  options.given_tokenizer = japanese_;
  const std::string reference = "これはペンです。";
  const auto statistics = Bleu(options).sentence_statistics("これは本です。", {&reference, 1});
  // lengths, matches of one to four words, their numbers
  EXPECT_THAT(statistics, ElementsAre(5, 5, 4, 2, 0, 0, 5, 4, 3, 2));
}

}  // namespace
}  // namespace dietmt::metrics
