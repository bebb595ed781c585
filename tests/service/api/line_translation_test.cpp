#include "service/api/line_translation.h"

#include <gmock/gmock.h>

#include <fstream>
#include <future>
#include <nlohmann/json.hpp>

#include "service/api/call.h"
#include "service/scheduling/scheduling_errors.h"
#include "tests/common/scratch.h"
#include "tests/service/connected_texts.h"
#include "tests/service/fake_decoder.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::ElementsAre;

ModelRegistry registry(std::chrono::microseconds step, const QueueLimits& limits = {}) {
  return ModelRegistry({{"en-de", "en", "de", "first"}},
                       [step](const ModelSpec&) { return fake_model(step); }, {.limits = limits});
}

std::vector<std::string> lines_of(const TranslatedLines& translated) {
  return texts_of(translated.lines);
}

TEST(LineTranslatorTest, ALineIsASentenceUnlessSaidOtherwise) {
  ModelRegistry models = registry(0us);
  const LineTranslator translator(models, {});
  const ConnectedTexts lines{unmarked({"a. b", " c ", ""})};
  EXPECT_THAT(lines_of(translator.translate({"", "en", "de"}, json::object(), lines, nullptr)),
              ElementsAre("A. B", " C ", ""));
  const TranslatedLines split =
      translator.translate({"en-de", "", ""}, {{"split_sentences", true}}, lines, nullptr);
  EXPECT_THAT(lines_of(split), ElementsAre("A. B", " C ", ""));
  EXPECT_EQ(split.source_tokens, 5 + 2);  // characters, and the ends of two sentences
}

TEST(LineTranslatorTest, WhatCannotBeServedIsRefusedBefore) {
  ModelRegistry models = registry(0us);
  const LineTranslator translator(models, {});
  translator.check({"en-de", "", ""}, {{"beam", 2}});
  EXPECT_THROW(translator.check({"none", "", ""}, json::object()), HttpError);
  EXPECT_THROW(translator.check({"", "en", "fr"}, json::object()), HttpError);
  EXPECT_THROW(translator.check({"en-de", "en", "fr"}, json::object()), HttpError);
  EXPECT_THROW(translator.check({"en-de", "de", ""}, json::object()), HttpError);
  EXPECT_NO_THROW(translator.check({"en-de", "en", "de"}, json::object()));
  EXPECT_THROW(translator.check({"en-de", "", ""}, {{"beam", 0}}), HttpError);
  EXPECT_THROW(translator.check({"en-de", "", ""}, {{"beams", 1}}), HttpError);
  EXPECT_NO_THROW(translator.check({"en-de", "", ""}, {{"beam", 4}, {"nbest", 1}}));
  EXPECT_THROW(translator.check({"en-de", "", ""}, {{"beam", 4}, {"nbest", 2}}), HttpError);
}

TEST(LineTranslatorTest, EstimatesTheQualityOfEachLineWithText) {
  ModelRegistry models = registry(0us);
  std::vector<std::string> seen;
  const auto estimates =
      std::make_shared<QualityEstimates>([&](std::span<const TranslatedPair> pairs) {
        for (const TranslatedPair& pair : pairs)
          seen.push_back(pair.source + '|' + pair.translation);
        return std::vector<double>(pairs.size(), 0.25);
      });
  const LineTranslator translator(models, {}, "", std::make_shared<Glossaries>(), estimates);
  const ConnectedTexts lines{unmarked({"a. b", "", "c"})};
  const LineRequest request{"", "en", "de", "", "", true};
  const json split = {{"split_sentences", true}};
  translator.check(request, split);
  EXPECT_THAT(translator.translate(request, split, lines, nullptr).quality,
              ElementsAre(0.25, 0.0, 0.25));
  EXPECT_THAT(seen, ElementsAre("a. b|A. B", "c|C"));

  const LineTranslator without(models, {});
  EXPECT_THROW(without.check(request, split), HttpError);
  EXPECT_THROW(without.translate(request, split, lines, nullptr), Unavailable);
}

class LineGlossaryTest : public ScratchTest {};

TEST_F(LineGlossaryTest, TermsOfAGlossaryAreInTheTranslations) {
  std::ofstream(scratch() / "office.en-de.tsv") << "b\tx\n";
  ModelRegistry models = registry(0us);
  const LineTranslator translator(models, {}, "", std::make_shared<Glossaries>(scratch()));
  const ConnectedTexts lines{unmarked({"a b", "c"})};
  for (const json& glossary : {json("office"), json{{"b", "x"}}}) {
    const json decoding{{"glossary", glossary}, {"beam", 2}};
    translator.check({"en-de", "", ""}, decoding);
    EXPECT_THAT(lines_of(translator.translate({"en-de", "", ""}, decoding, lines, nullptr)),
                ElementsAre("A B x", "C"));
  }
  EXPECT_THROW(translator.check({"en-de", "", ""}, {{"glossary", "none"}}), HttpError);
}

TEST(LineTranslatorTest, TheServersMarkupIsTheDefaultOfLines) {
  ModelRegistry models = registry(0us);
  ServiceLimits limits;
  limits.markup = true;
  const LineTranslator plain(models, {}), marked(models, limits);
  const ConnectedTexts lines{unmarked({"a <b>x</b>"})};
  const auto translated = [&](const LineTranslator& translator, const json& decoding) {
    return lines_of(translator.translate({"en-de", "", ""}, decoding, lines, nullptr)).front();
  };
  EXPECT_EQ(translated(plain, json::object()), "A <B>X</B>");
  EXPECT_EQ(translated(marked, json::object()), "A <b>X</b>");
  EXPECT_EQ(translated(marked, {{"markup", false}}), "A <B>X</B>");
}

TEST(LineTranslatorTest, TheLanguageOfLinesIsFound) {
  ModelRegistry models({{"en-de", "en", "de", "first"}, {"cs-de", "cs", "de", "second"}},
                       [](const ModelSpec&) { return fake_model(0us); }, {});
  const LineTranslator translator(models, {});
  const auto translated = [&](const std::string& text) {
    return lines_of(translator.translate({"", "auto", "de"}, json::object(), {unmarked({text})},
                                         nullptr))
        .front();
  };
  EXPECT_EQ(translated("the weather was fine and we went along the river"),
            "THE WEATHER WAS FINE AND WE WENT ALONG THE RIVER");
  const std::string german = "das wetter war sehr angenehm und wir gingen am fluss entlang";
  EXPECT_EQ(translated(german), german) << "it is in the target language";
}

TEST(LineTranslatorTest, LinesThatTheModelCutsAreNamed) {
  ModelRegistry models = registry(0us);
  const LineTranslator translator(models, {});
  const ConnectedTexts lines{unmarked({"a", std::string(300, 'x'), ""})};
  EXPECT_THAT(translator.translate({"en-de", "", ""}, json::object(), lines, nullptr).cut,
              ElementsAre(false, true, false));
}

TEST(LineTranslatorTest, LinesGoByWayOfThePivot) {
  ModelRegistry models(
      {{"pt-en", "pt", "en", "first"}, {"en-de", "en", "de", "second"}},
      [](const ModelSpec& spec) { return fake_model(0us, "<" + spec.target + ">"); }, {});
  const LineTranslator translator(models, {}, "en");
  EXPECT_THAT(lines_of(translator.translate({"", "pt", "de"}, json::object(), {unmarked({"a", ""})},
                                            nullptr)),
              ElementsAre("A<EN><de>", ""));
  EXPECT_THROW(LineTranslator(models, {}).check({"", "pt", "de"}, json::object()), HttpError);
}

TEST(LineTranslatorTest, AFullQueueIsWaitedFor) {
  ModelRegistry models = registry(1ms, {.max_tokens = 50, .turn_tokens = 10});
  const LineTranslator translator(models, {});
  std::vector<std::future<std::vector<std::string>>> jobs;
  for (int i = 0; i < 6; ++i) {
    jobs.push_back(std::async(std::launch::async, [&] {
      return lines_of(
          translator.translate({"en-de", "", ""}, json::object(),
                               {unmarked(std::vector<std::string>(200, "twelve chars"))}, nullptr));
    }));
  }
  for (auto& job : jobs)
    EXPECT_THAT(job.get(), testing::AllOf(testing::SizeIs(200), testing::Each("TWELVE CHARS")));
}

TEST(LineTranslatorTest, ACancelledJobEndsSoon) {
  ModelRegistry models = registry(20ms);
  const LineTranslator translator(models, {});
  EXPECT_THROW(translator.translate({"en-de", "", ""}, json::object(),
                                    {unmarked({std::string(150, 'x')})}, [] { return true; }),
               ClientGone);
}

}  // namespace
}  // namespace dietmt::service
