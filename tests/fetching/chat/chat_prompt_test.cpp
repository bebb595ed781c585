#include "fetching/chat/chat_prompt.h"

#include <gmock/gmock.h>

#include "common/error.h"

namespace dietmt::fetching {
namespace {

using ::testing::HasSubstr;

TEST(ChatPrompt, PutsTheLineWhereTheTextSays) {
  const ChatPrompt prompt = ChatPrompt::parse("Say \"{text}\" in {target_language}.\n",
                                              {.target = "German"}, "prompt.txt");
  EXPECT_EQ(prompt.system(), "");
  EXPECT_EQ(prompt.user("a {text} b"), "Say \"a {text} b\" in German.");
}

TEST(ChatPrompt, TakesWhatIsBeforeTheRuleAsSystemMessage) {
  const ChatPrompt prompt = ChatPrompt::parse(
      "You translate {source_language}.\r\n---\r\n\n{text}\n---\nEnd", {"Czech", ""}, "prompt.txt");
  EXPECT_EQ(prompt.system(), "You translate Czech.");
  EXPECT_EQ(prompt.user("x"), "x\n---\nEnd");
}

TEST(ChatPrompt, NamesTheFileAndWhatItLacks) {
  const auto problem = [](const std::string& content) {
    try {
      ChatPrompt::parse(content, {}, "prompt.txt");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(problem("Translate."), "prompt.txt lacks {text}, the place of the line to translate");
  EXPECT_EQ(problem("{text}\n---\nTranslate."),
            "prompt.txt lacks {text}, the place of the line to translate");
  EXPECT_EQ(problem("{text} {source_language}"),
            "prompt.txt has {source_language}: add --source-language");
}

TEST(ChatPrompt, TheUsualOneNeedsBothLanguages) {
  EXPECT_THAT(ChatPrompt::usual({"English", "German"}).user("A dog."),
              HasSubstr("from English into German:\n\nA dog."));
  EXPECT_THROW(ChatPrompt::usual({"English", ""}), ConfigError);
}

}  // namespace
}  // namespace dietmt::fetching
