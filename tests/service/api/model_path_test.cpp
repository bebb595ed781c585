// Chained models, and the check of translations, from the client's side.
#include <gmock/gmock.h>

#include <thread>

#include "tests/common/test_directory.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TestSettings two_models() {
  TestSettings settings;
  settings.specs = {{"pt-en", "pt", "en", "first"}, {"en-de", "en", "de", "second"}};
  settings.loader = [](const ModelSpec& spec) { return fake_model({}, "<" + spec.target + ">"); };
  return settings;
}

TEST(ModelPathTest, APairWithoutAModelGoesByWayOfEnglish) {
  const TestServer server(two_models());
  const auto [status, body] = server.post("/v1/translate", {{"text", "a. b"},
                                                            {"source", "pt"},
                                                            {"target", "de"},
                                                            {"split_sentences", false},
                                                            {"prefix", "x"},
                                                            {"nbest", 2}});
  EXPECT_EQ(status, 200);
  EXPECT_EQ(body["model"], "pt-en+en-de");
  EXPECT_EQ(body["source"], "pt");
  EXPECT_EQ(body["target"], "de");
  const json& sentence = body["results"][0]["sentences"][0];
  EXPECT_EQ(sentence["source"], "a. b");
  EXPECT_EQ(sentence["pivots"], json({"A. B<en>"}));
  EXPECT_EQ(sentence["source_tokens"], 5);
  EXPECT_EQ(sentence["translations"][0]["text"], "xA. B<EN><de>");
  EXPECT_EQ(sentence["translations"].size(), 2U);

  const auto plain =
      server.post("/translate", {{"q", {"a", " b\n"}}, {"source", "pt"}, {"target", "de"}});
  EXPECT_EQ(plain.second["translatedText"], json({"A<EN><de>", " B<EN><de>\n"}));
  const json languages = server.get("/languages").second;
  EXPECT_EQ(languages[0]["targets"], json({"en", "de"}));
}

TEST(ModelPathTest, BothModelsGetTheirMemoryTogether) {
  const TestDirectory directory;
  TestSettings settings = two_models();
  settings.specs.push_back({"ru-en", "ru", "en", "third"});
  for (ModelSpec& spec : settings.specs) {
    spec.directory = directory / spec.name;
    std::filesystem::create_directory(spec.directory);
    write_text(spec.directory / "model.safetensors", std::string(100, 'x'));
  }
  settings.registry.memory = 200;
  const TestServer server(settings);
  const auto ask = [&](const std::string& source, const std::string& text) {
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(
          server.post("/translate", {{"q", "a"}, {"source", source}, {"target", "de"}}).second,
          json({{"translatedText", text}}));
  };
  {
    const std::jthread pt(ask, "pt", "A<EN><de>"), ru(ask, "ru", "A<EN><de>"),
        en(ask, "en", "A<de>");
  }
  settings.registry.memory = 199;
  EXPECT_EQ(error_of(TestServer(settings).post("/translate",
                                               {{"q", "a"}, {"source", "pt"}, {"target", "de"}})),
            "503 the server has not enough memory for the models pt-en, en-de together");
}

TEST(ModelPathTest, SeveralModelsCanBeNamed) {
  const TestServer server(two_models());
  const auto named = server.post("/v1/translate", {{"text", "a"}, {"model", "pt-en+en-de"}});
  EXPECT_EQ(named.second["results"][0]["text"], "A<EN><de>");
  EXPECT_EQ(error_of(server.post("/v1/translate", {{"text", "a"}, {"model", "en-de+pt-en"}})),
            "400 model: en-de translates to de, but pt-en from pt");
  TestSettings direct = two_models();
  direct.api.pivot = "";
  EXPECT_EQ(error_of(TestServer(direct).post("/translate",
                                             {{"q", "a"}, {"source", "pt"}, {"target", "de"}})),
            "400 target: pt cannot be translated to de on this server");
}

TEST(ModelPathTest, WhatIsCutOnTheWayIsSaid) {
  const TestServer server(two_models());
  const std::string text(199, 'x');  // with its mark, too long for the second model
  const json body = server.post("/v1/translate", {{"text", text}, {"model", "pt-en+en-de"}}).second;
  EXPECT_EQ(body["results"][0]["cut"], true);
  EXPECT_EQ(body["results"][0]["sentences"][0]["cut_tokens"], 4);
}

TestSettings guarded(nmt::Guard guard) {
  TestSettings settings;
  settings.api.limits.guard = guard;
  return settings;
}

const std::string kLoop = text_of(std::vector<int32_t>{FakeDecoder::kLoop});

TEST(GuardTest, ALoopIsTranslatedAgainAndSaid) {
  const TestServer server(guarded(nmt::Guard::kRetry));
  const json body =
      server.post("/v1/translate", {{"text", "a" + kLoop + ". B"}, {"model", "en-de"}}).second;
  const json& sentences = body["results"][0]["sentences"];
  ASSERT_EQ(sentences.size(), 2);
  EXPECT_EQ(sentences[0]["guard"], json({{"problem", "repeats itself"}, {"replaced", true}}));
  EXPECT_EQ(body["results"][0]["text"], "A" + kLoop + ". B");
  EXPECT_FALSE(sentences[1].contains("guard"));
  const json plain =
      server.post("/translate", {{"q", "a" + kLoop}, {"source", "en"}, {"target", "de"}}).second;
  EXPECT_EQ(plain["translatedText"], "A" + kLoop);
  EXPECT_EQ(plain["warnings"],
            json({"text 1: a translation repeats itself; it was replaced by another one"}));
}

TEST(GuardTest, ItCanOnlyReportOrBeOff) {
  const json request = {{"q", "a" + kLoop}, {"source", "en"}, {"target", "de"}};
  const json reported = TestServer(guarded(nmt::Guard::kReport)).post("/translate", request).second;
  EXPECT_THAT(reported["translatedText"].get<std::string>(), HasSubstr("LALALA"));
  EXPECT_EQ(reported["warnings"], json({"text 1: a translation repeats itself"}));
  const json off = TestServer(guarded(nmt::Guard::kOff)).post("/translate", request).second;
  EXPECT_EQ(off["translatedText"], reported["translatedText"]);
  EXPECT_FALSE(off.contains("warnings"));
}

}  // namespace
}  // namespace dietmt::service
