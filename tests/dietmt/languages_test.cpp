// A model of many languages, which a call gives for each of its lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "dietmt/translator.h"

namespace dietmt {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class LanguagesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("DIETMT_LANGUAGES_MODEL") == nullptr)
      GTEST_SKIP() << "DIETMT_LANGUAGES_MODEL names no directory";
  }
  static const Translator& translator() {
    static const Translator shared(std::getenv("DIETMT_LANGUAGES_MODEL"));
    return shared;
  }
};

TEST_F(LanguagesTest, EachLineHasThoseOfItsPlace) {
  const std::vector<std::string> lines(300, "red dog");  // more than one window
  std::vector<std::string> targets;
  for (size_t i = 0; i < lines.size(); ++i) targets.push_back(i % 3 == 0 ? "de" : "fr");
  const auto single = [](const std::string& target) {
    return translator()
        .translate({"red dog"},
                   {.source_language = "en", .target_language = target, .max_length_offset = 8})
        .front();
  };
  const Translation german = single("de"), french = single("fr");
  ASSERT_NE(german, french);
  const auto found = translator().translate(
      lines, {.source_language = "en", .target_languages = targets, .max_length_offset = 8});
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(found[i], i % 3 == 0 ? german : french) << i;
}

TEST_F(LanguagesTest, WrongListsAreNamedBeforeAnythingIsTranslated) {
  const auto call = [](const TranslateOptions& options) {
    return [options] { translator().translate({"red", "dog"}, options); };
  };
  EXPECT_THAT(call({.source_language = "en", .target_languages = {"de"}}),
              ThrowsMessage<InputError>(HasSubstr("there are 1 target languages, but 2 lines")));
  EXPECT_THAT(
      call({.source_languages = {"en", "en"}, .target_languages = {"de"}}),
      ThrowsMessage<InputError>(HasSubstr("there are 2 source languages, but 1 target languages")));
  EXPECT_THAT(
      call({.source_language = "en", .target_language = "de", .source_languages = {"en", "en"}}),
      ThrowsMessage<UsageError>(HasSubstr("leave out source_language")));
  EXPECT_THAT(call({.source_language = "en", .target_languages = {"de", "xx"}}),
              ThrowsMessage<InputError>(
                  HasSubstr("line 2: the model does not have the target language 'xx'")));
  EXPECT_THAT(call({.target_language = "de", .source_languages = {"en", ""}}),
              ThrowsMessage<InputError>(HasSubstr("line 2: the model has 100 languages, so the "
                                                  "source language is needed")));
  TranslationStream stream = translator().stream(
      [](std::string& line, std::string&) {
        line = "red";
        return true;
      },
      {.source_language = "en", .target_languages = {"de"}}, true);
  EXPECT_TRUE(stream.next());
  EXPECT_THAT([&] { stream.next(); },
              ThrowsMessage<InputError>(HasSubstr("1 target languages, but more lines")));
}

}  // namespace
}  // namespace dietmt
