#include "metrics/unspaced_scripts.h"

#include <gmock/gmock.h>

namespace dietmt::metrics {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kChinese = {"一只狗在草地上奔跑。", "USB 设备未连接。"};
const std::vector<std::string> kJapanese = {"犬が草の上を走っている。",
                                            "デバイスが接続されていません。"};

TEST(UnspacedScripts, LanguagesHaveTheTokenizersOfSacreBleu) {
  EXPECT_EQ(usual_tokenizer("zh"), "zh");
  EXPECT_EQ(usual_tokenizer("zh-Hant"), "zh");
  EXPECT_EQ(usual_tokenizer("ja"), "ja-mecab");
  EXPECT_EQ(usual_tokenizer("ko"), "ko-mecab");
  EXPECT_EQ(usual_tokenizer("de"), "13a");
}

TEST(UnspacedScripts, NamesTheTokenizerThatFits) {
  for (const char* const name : {"13a", "intl"}) {
    EXPECT_THAT(tokenizer_problem(name, kChinese), HasSubstr("--tokenize zh ")) << name;
    EXPECT_THAT(tokenizer_problem(name, kJapanese), HasSubstr("--tokenize ja-mecab ")) << name;
    EXPECT_THAT(tokenizer_problem(name, {"สุนัขวิ่งบนสนามหญ้า"}), HasSubstr("--tokenize char"));
  }
  for (const char* const name : {"zh", "none", "char", "ja-mecab", "spm", "flores200"})
    EXPECT_EQ(tokenizer_problem(name, kChinese), "") << name;
}

TEST(UnspacedScripts, AFewCharactersAreNoReason) {
  EXPECT_EQ(tokenizer_problem("13a", {}), "");
  EXPECT_EQ(tokenizer_problem("13a", {"123 456", ""}), "");
  EXPECT_EQ(tokenizer_problem("13a", {"개가 풀밭에서 달린다."}), "");
  EXPECT_EQ(tokenizer_problem("13a", {"The character 狗 means dog, and 草 means grass."}), "");
}

}  // namespace
}  // namespace dietmt::metrics
