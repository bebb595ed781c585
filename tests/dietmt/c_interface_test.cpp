#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dietmt/c.h"
#include "dietmt/translator.h"

namespace dietmt {
namespace {

using testing::HasSubstr;
using testing::Not;

using Options = std::unique_ptr<dietmt_options, decltype(&dietmt_options_free)>;
using Result = std::unique_ptr<dietmt_translations, decltype(&dietmt_translations_free)>;

Options new_options() { return {dietmt_options_new(), dietmt_options_free}; }

class CInterfaceTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* model = std::getenv("DIETMT_PACKED_MODEL");
    if (model == nullptr) GTEST_SKIP() << "DIETMT_PACKED_MODEL names no model";
    ASSERT_EQ(dietmt_load(model, nullptr, &translator_), DIETMT_OK) << dietmt_last_error();
  }
  void TearDown() override { dietmt_free(translator_); }

  Result translate(const std::vector<const char*>& lines, const dietmt_options* options = nullptr) {
    dietmt_translations* result = nullptr;
    status_ = dietmt_translate(translator_, lines.data(), lines.size(), options, &result);
    return {result, dietmt_translations_free};
  }

  dietmt_translator* translator_ = nullptr;
  dietmt_status status_ = DIETMT_OK;
};

TEST_F(CInterfaceTest, TranslatesAsTheTranslatorOfCpp) {
  const Translator translator(std::getenv("DIETMT_PACKED_MODEL"));
  const auto expected = translator.translate({"red dog", "", "old tree"}, {.nbest = 2});
  const Options options = new_options();
  ASSERT_EQ(dietmt_options_set(options.get(), "nbest", "2"), DIETMT_OK);
  const Result result = translate({"red dog", "", "old tree"}, options.get());
  ASSERT_EQ(status_, DIETMT_OK) << dietmt_last_error();
  ASSERT_EQ(dietmt_line_count(result.get()), expected.size());
  for (size_t line = 0; line < expected.size(); ++line) {
    const auto& hypotheses = expected[line].hypotheses;
    ASSERT_EQ(dietmt_hypothesis_count(result.get(), line), hypotheses.size());
    EXPECT_STREQ(dietmt_problem(result.get(), line), "");
    EXPECT_EQ(dietmt_truncated(result.get(), line), 0);
    for (size_t h = 0; h < hypotheses.size(); ++h) {
      EXPECT_EQ(dietmt_text(result.get(), line, h), hypotheses[h].text);
      EXPECT_DOUBLE_EQ(dietmt_hypothesis_score(result.get(), line, h), hypotheses[h].score);
      ASSERT_EQ(dietmt_token_count(result.get(), line, h), hypotheses[h].tokens.size());
      for (size_t t = 0; t < hypotheses[h].tokens.size(); ++t) {
        EXPECT_EQ(dietmt_token(result.get(), line, h, t), hypotheses[h].tokens[t]);
        EXPECT_FLOAT_EQ(static_cast<float>(dietmt_token_score(result.get(), line, h, t)),
                        hypotheses[h].token_scores[t]);
      }
    }
  }
  EXPECT_EQ(dietmt_text(result.get(), 3, 0), nullptr);
  EXPECT_EQ(dietmt_text(result.get(), 0, 2), nullptr);
  EXPECT_TRUE(std::isnan(dietmt_hypothesis_score(result.get(), 3, 0)));
  EXPECT_EQ(dietmt_token(result.get(), 0, 0, 1000), nullptr);
}

TEST_F(CInterfaceTest, StreamsWhatTheCallbackReads) {
  struct Lines {
    std::vector<std::string> texts = {"red dog", "old tree", "big house"};
    size_t next = 0;
  } lines;
  const auto next_line = [](void* data) -> const char* {
    auto& from = *static_cast<Lines*>(data);
    return from.next == from.texts.size() ? nullptr : from.texts[from.next++].c_str();
  };
  const Result whole = translate({"red dog", "old tree", "big house"});
  dietmt_stream* stream = nullptr;
  ASSERT_EQ(dietmt_stream_open(translator_, next_line, &lines, nullptr, 0, &stream), DIETMT_OK);
  for (size_t line = 0; line <= lines.texts.size(); ++line) {
    dietmt_translations* next = nullptr;
    ASSERT_EQ(dietmt_stream_next(stream, &next), DIETMT_OK);
    const Result result(next, dietmt_translations_free);
    if (line < lines.texts.size()) {
      EXPECT_STREQ(dietmt_text(next, 0, 0), dietmt_text(whole.get(), line, 0));
    } else {
      EXPECT_EQ(next, nullptr);
    }
  }
  dietmt_stream_free(stream);
}

TEST_F(CInterfaceTest, ScoresGivenTranslations) {
  const char* const sources[] = {"red dog"};
  const char* const targets[] = {"hund rot"};
  dietmt_translations* scored = nullptr;
  ASSERT_EQ(dietmt_score(translator_, sources, targets, 1, nullptr, &scored), DIETMT_OK);
  const Result result(scored, dietmt_translations_free);
  const Translator translator(std::getenv("DIETMT_PACKED_MODEL"));
  EXPECT_DOUBLE_EQ(dietmt_hypothesis_score(scored, 0, 0),
                   translator.score({"red dog"}, {"hund rot"}).front().score);
}

TEST_F(CInterfaceTest, OptionsAreCheckedByNameTypeAndRange) {
  const Options options = new_options();
  EXPECT_EQ(dietmt_options_set(options.get(), "beams", "5"), DIETMT_USAGE);
  EXPECT_THAT(dietmt_last_error(), HasSubstr("there is no option 'beams'"));
  EXPECT_EQ(dietmt_options_set(options.get(), "beam", "5x"), DIETMT_USAGE);
  EXPECT_THAT(dietmt_last_error(), HasSubstr("beam is '5x'; it must be a whole number"));
  EXPECT_EQ(dietmt_options_set(options.get(), "sample", "yes"), DIETMT_USAGE);
  EXPECT_EQ(dietmt_options_set(options.get(), "top_p", "half"), DIETMT_USAGE);
  EXPECT_EQ(dietmt_options_set(options.get(), "beam", nullptr), DIETMT_USAGE);
  EXPECT_EQ(dietmt_options_set(options.get(), "beam", "0"), DIETMT_OK);
  translate({"red dog"}, options.get());
  EXPECT_EQ(status_, DIETMT_USAGE);
  EXPECT_THAT(dietmt_last_error(), HasSubstr("beam is 0"));
}

TEST_F(CInterfaceTest, GlossaryAndCancellation) {
  const Options options = new_options();
  ASSERT_EQ(dietmt_options_add_term(options.get(), "red", "blau"), DIETMT_OK);
  const Result result = translate({"red dog"}, options.get());
  ASSERT_EQ(status_, DIETMT_OK) << dietmt_last_error();
  EXPECT_THAT(dietmt_text(result.get(), 0, 0), HasSubstr("blau"));
  dietmt_options_cancel(options.get());
  const std::vector<const char*> lines(20'000, "red dog sees old house");
  translate(lines, options.get());
  EXPECT_EQ(status_, DIETMT_CANCELLED);
}

TEST_F(CInterfaceTest, WordsToAvoid) {
  const Options options = new_options();
  const std::string usual = dietmt_text(translate({"red dog"}).get(), 0, 0);
  const std::string word = usual.substr(0, usual.find(' '));
  ASSERT_EQ(dietmt_options_add_avoided(options.get(), word.c_str()), DIETMT_OK);
  EXPECT_THAT(dietmt_text(translate({"red dog"}, options.get()).get(), 0, 0), Not(HasSubstr(word)));
}

TEST_F(CInterfaceTest, OptionsOfCppNameTheirFunction) {
  const Options options = new_options();
  for (const auto& [name, message] : std::map<std::string, std::string>{
           {"glossary", "there is no option 'glossary'; use dietmt_options_add_term()"},
           {"avoid", "there is no option 'avoid'; use dietmt_options_add_avoided()"},
           {"check", "there is no option 'check' in C"},
           {"bream", "there is no option 'bream'"}}) {
    EXPECT_EQ(dietmt_options_set(options.get(), name.c_str(), "x"), DIETMT_USAGE);
    EXPECT_EQ(dietmt_last_error(), message);
  }
}

TEST_F(CInterfaceTest, BadCallsNameWhatIsWrong) {
  translate({"red dog", nullptr});
  EXPECT_EQ(status_, DIETMT_USAGE);
  EXPECT_THAT(dietmt_last_error(), HasSubstr("lines[1] is NULL"));
  const Options options = new_options();
  ASSERT_EQ(dietmt_options_set(options.get(), "source_tag", "two words"), DIETMT_OK);
  translate({"red dog"}, options.get());
  EXPECT_EQ(status_, DIETMT_INPUT) << dietmt_last_error();
  dietmt_translator* none = nullptr;
  EXPECT_EQ(dietmt_load("no/such/model", nullptr, &none), DIETMT_MODEL);
  EXPECT_THAT(dietmt_last_error(), HasSubstr("no/such/model"));
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(dietmt_load(nullptr, nullptr, &none), DIETMT_USAGE);
  EXPECT_EQ(dietmt_reload(translator_), DIETMT_OK);
}

}  // namespace
}  // namespace dietmt
