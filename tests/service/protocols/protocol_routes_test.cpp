#include "service/protocols/protocol_routes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "tests/common/scratch.h"
#include "tests/service/api/schema_check.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TestSettings with_protocols(ApiSettings api = {}) {
  TestSettings settings{.api = std::move(api)};
  settings.extend = [](TranslationApi& added) {
    for (Route& route : protocol_routes(added.context())) added.add(std::move(route));
    for (Route& route : deepl_glossary_routes(added.context(), nullptr))
      added.add(std::move(route));
  };
  settings.specs = {{"en-de", "en", "de", "first"},
                    {"de-en", "de", "en", "second"},
                    {"en-zh", "en", "zh_Hant", "third"}};
  return settings;
}

class ProtocolsTest : public ScratchTest {
 protected:
  const TestServer server_{with_protocols()};
};

TEST_F(ProtocolsTest, DeepL) {
  const auto [status, body] =
      server_.post("/v2/translate", {{"text", {"one. two", "Das Wetter war schön und wir gingen."}},
                                     {"target_lang", "DE"},
                                     {"show_billed_characters", true}});
  ASSERT_EQ(status, 200) << body;
  EXPECT_EQ(
      body["translations"][0],
      json({{"detected_source_language", "EN"}, {"text", "ONE. TWO"}, {"billed_characters", 8}}));
  EXPECT_EQ(body["translations"][1]["text"], "Das Wetter war schön und wir gingen.");
  const httplib::Params form = {{"text", "a <x>b</x>"},
                                {"source_lang", "EN"},
                                {"target_lang", "ZH-HANT"},
                                {"tag_handling", "xml"}};
  EXPECT_EQ(TestServer::answer(server_.client().Post("/v2/translate", form))
                .second["translations"][0]["text"],
            "A <x>B</x>");
  EXPECT_THAT(server_.post("/v2/translate", {{"text", "a"}, {"target_lang", "XX"}})
                  .second["message"]
                  .get<std::string>(),
              HasSubstr("XX is not supported"));
  const json targets = server_.get("/v2/languages?type=target").second;
  EXPECT_EQ(targets[2]["language"], "ZH-HANT");
  EXPECT_EQ(targets[2]["supports_formality"], false);
  EXPECT_EQ(server_.get("/v2/languages").second[0],
            json({{"language", "EN"}, {"name", "English"}}));
  EXPECT_GT(server_.get("/v2/usage").second["character_count"], 0);
}

TEST_F(ProtocolsTest, Google) {
  const json request = {{"q", {"a &amp; <b>b</b>", "c"}}, {"target", "de"}};
  for (const char* path : {"/language/translate/v2", "/google/language/translate/v2"}) {
    const auto [status, body] = server_.post(path, request);
    ASSERT_EQ(status, 200) << body;
    EXPECT_EQ(body["data"]["translations"][0]["translatedText"], "A &amp; <b>B</b>");
    EXPECT_EQ(body["data"]["translations"][1]["detectedSourceLanguage"], "en");
  }
  EXPECT_EQ(
      server_.get("/language/translate/v2?q=ab&source=en&target=de&format=text").second.dump(),
      R"({"data":{"translations":[{"translatedText":"AB"}]}})");
  const json german = {{"q", "Das Wetter war schön und wir gingen."}};
  EXPECT_EQ(server_.post("/language/translate/v2/detect", german)
                .second["data"]["detections"][0][0]["language"],
            "de");
  EXPECT_EQ(server_.get("/language/translate/v2/languages?target=en")
                .second["data"]["languages"][2]["language"],
            "zh-Hant");
  const json error =
      server_.post("/language/translate/v2", {{"q", "a"}, {"target", "xx"}}).second["error"];
  EXPECT_EQ(error["code"], 400);
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("is not supported"));
  EXPECT_EQ(server_.get("/google/translate_a/single?sl=en&tl=de&q=ab").second.dump(),
            R"([[["AB","ab",null,null,1]],null,"en"])");
}

json chat(const char* model, const char* text) {
  return {{"model", model},
          {"messages",
           {{{"role", "system"}, {"content", "You translate."}},
            {{"role", "user"}, {"content", "not this"}},
            {{"role", "assistant"}, {"content", "NICHT DIES"}},
            {{"role", "user"}, {"content", {{{"type", "text"}, {"text", text}}}}}}}};
}

TEST_F(ProtocolsTest, OpenAI) {
  const auto [status, body] = server_.post("/v1/chat/completions", chat("en-de", "one. two"));
  ASSERT_EQ(status, 200) << body;
  EXPECT_EQ(body["object"], "chat.completion");
  EXPECT_EQ(body["choices"][0]["message"], json({{"role", "assistant"}, {"content", "ONE. TWO"}}));
  EXPECT_GT(body["usage"]["total_tokens"], 0);
  EXPECT_EQ(server_.post("/v1/chat/completions", chat("auto-de", "the weather was fine"))
                .second["choices"][0]["message"]["content"],
            "THE WEATHER WAS FINE");
  EXPECT_THAT(server_.post("/v1/chat/completions", chat("gpt-4o", "a"))
                  .second["error"]["message"]
                  .get<std::string>(),
              HasSubstr("there is no model 'gpt-4o'"));
  const json models = server_.get("/v1/models").second;
  EXPECT_EQ(models["data"][0]["id"], "en-de");
  EXPECT_EQ(models["models"][0]["name"], "en-de");
}

TEST_F(ProtocolsTest, SentencesAreStreamedAsTheyAreTranslated) {
  json request = chat("en-de", "One is here. Two came. \n\nThree left. Four  ");
  request["stream"] = true;
  const auto answer =
      server_.client().Post("/v1/chat/completions", request.dump(), "application/json");
  EXPECT_EQ(answer->get_header_value("Content-Type"), "text/event-stream");
  std::vector<std::string> parts;
  std::istringstream lines(answer->body);
  std::string text, last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("data: ")) continue;
    last = line.substr(6);
    const json event = json::parse(last, nullptr, false);
    if (event.is_discarded() || !event["choices"][0]["delta"].contains("content")) continue;
    parts.push_back(event["choices"][0]["delta"]["content"]);
    text += parts.back();
  }
  EXPECT_EQ(last, "[DONE]");
  EXPECT_EQ(parts.size(), 4U);
  EXPECT_EQ(text, "ONE IS HERE. TWO CAME. \n\nTHREE LEFT. FOUR  ");
}

TEST_F(ProtocolsTest, BrowserAddOnsAndMTranServer) {
  EXPECT_EQ(server_
                .post("/imme", {{"source_lang", "auto"},
                                {"target_lang", "zh-TW"},
                                {"text_list", {"the weather was fine", "b"}}})
                .second.dump(),
            R"({"translations":[{"detected_source_lang":"en","text":"THE WEATHER WAS FINE"},)"
            R"({"detected_source_lang":"en","text":"B"}]})");
  EXPECT_EQ(server_.post("/kiss", {{"from", "en"}, {"to", "de"}, {"text", "a"}}).second["text"],
            "A");
  EXPECT_EQ(server_.post("/kiss", {{"to", "de"}, {"text", {"a", "b"}}}).second["text"],
            json({"A", "B"}));
  const json huaci = {{"name", "x"}, {"text", "the weather\n\nwas fine"}};
  json request = huaci;
  request["destination"] = {"中文(繁体)", "德语"};
  const json body = server_.post("/hcfy", request).second;
  EXPECT_EQ(body["result"], json({"THE WEATHER", "", "WAS FINE"}));
  EXPECT_EQ(body["from"], "英语");
  EXPECT_EQ(body["to"], "中文(繁体)");
  request["destination"] = {"英语", "德语"};
  EXPECT_EQ(server_.post("/hcfy", request).second["to"], "德语");
  EXPECT_EQ(server_.post("/translate", {{"from", "en"}, {"to", "de"}, {"text", "a"}}).second,
            json({{"result", "A"}}));
  EXPECT_EQ(server_.post("/translate/batch", {{"from", "en"}, {"to", "de"}, {"texts", {"a", "b"}}})
                .second,
            json({{"results", {"A", "B"}}}));
}

TEST_F(ProtocolsTest, AnEmptyListIsRefused) {
  const json none = json::array();
  for (const auto& [path, request] : std::vector<std::pair<std::string, json>>{
           {"/v2/translate", {{"text", none}, {"target_lang", "DE"}}},
           {"/language/translate/v2", {{"q", none}, {"target", "de"}}},
           {"/language/translate/v2/detect", {{"q", none}}},
           {"/imme", {{"text_list", none}, {"target_lang", "de"}}},
           {"/kiss", {{"text", none}, {"to", "de"}}},
           {"/hcfy", {{"text", "a"}, {"destination", none}}},
           {"/translate/batch", {{"texts", none}, {"from", "en"}, {"to", "de"}}}})
    EXPECT_EQ(server_.post(path, request).first, 400) << path;
}

TEST_F(ProtocolsTest, KeysAreFoundWhereEachClientPutsThem) {
  const std::string key = "secret-of-a-test";
  const TestServer server(with_protocols({.api_keys = write("keys", key + ",user,0\n")}));
  const json request = {{"text", "a"}, {"source_lang", "EN"}, {"target_lang", "DE"}};
  const auto [refused, error] = server.post("/v2/translate", request);
  EXPECT_EQ(refused, 401);
  EXPECT_EQ(error.size(), 1U);
  EXPECT_TRUE(error["message"].is_string()) << error;
  const json of_google = server.post("/language/translate/v2?key=wrong", request).second;
  EXPECT_EQ(of_google["error"]["code"], 403) << of_google;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"Authorization", "DeepL-Auth-Key " + key},
                                                        {"Authorization", "Bearer " + key},
                                                        {"X-API-Key", key},
                                                        {"X-goog-api-key", key},
                                                        {"KEY", key}})
    EXPECT_EQ(server.post("/v2/translate", request, {{name, value}}).first, 200) << name;
  for (const char* name : {"api_key", "key", "token"})
    EXPECT_EQ(server.post("/deepl?" + std::string(name) + "=" + key, request).first, 200) << name;
  const httplib::Params form = {
      {"text", "a"}, {"source_lang", "EN"}, {"target_lang", "DE"}, {"api_key", key}};
  EXPECT_EQ(server.client().Post("/v2/translate", form)->status, 200);
  const std::string metrics = server.client().Get("/metrics")->body;
  EXPECT_THAT(metrics, HasSubstr("dietmt_key_requests_total{key=\"user\"} 9"));
  EXPECT_THAT(metrics, HasSubstr("dietmt_key_characters_total{key=\"user\"} 9"));
}

TEST_F(ProtocolsTest, EveryRouteIsDescribed) {
  const json paths = json::parse(merged_openapi(openapi_parts()))["paths"];
  const TestSettings settings = with_protocols();
  TestServer server(settings);
  for (const Route& route : server.api().routes()) {
    std::string method = route.method;
    std::ranges::transform(method, method.begin(), [](unsigned char c) { return std::tolower(c); });
    EXPECT_TRUE(paths.contains(route.path) && paths[route.path].contains(method)) << route.path;
  }
}

}  // namespace
}  // namespace dietmt::service
