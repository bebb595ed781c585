// The API of LibreTranslate from the client's side.
#include <gmock/gmock.h>

#include "tests/data/tagged_subwords.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(LibreTranslateTest, ATextIsTranslatedWithItsLineBreaks) {
  const TestServer server;
  const auto [status, body] = server.post(
      "/translate", {{"q", "one. two!\n\n three \n"}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(status, 200);
  EXPECT_EQ(body, json({{"translatedText", "ONE. TWO!\n\n THREE \n"}}));
}

TEST(LibreTranslateTest, FormsOfBothKindsAreUnderstood) {
  const TestServer server;
  const std::string text(20'000, 'x');  // more than cpp-httplib itself reads of a form
  const httplib::Params params = {{"q", text}, {"source", "en"}, {"target", "de"}};
  const auto form = TestServer::answer(server.client().Post("/translate", params));
  EXPECT_EQ(form.second.value("translatedText", ""), std::string(199, 'X'));
  EXPECT_THAT(form.second["warnings"].dump(),
              HasSubstr("at least 8193 tokens was cut to the first 200"));
  const httplib::MultipartFormDataItems items = {
      {"q", "ab", "", ""}, {"source", "en", "", ""}, {"target", "de", "", ""}};
  const auto multipart = TestServer::answer(server.client().Post("/translate", items));
  EXPECT_EQ(multipart.second.value("translatedText", ""), "AB");
  httplib::MultipartFormDataItems many(200, {"q", "ab", "", ""});
  many.insert(many.end(), items.begin() + 1, items.end());
  const auto list = TestServer::answer(server.client().Post("/translate", many));
  EXPECT_EQ(list.second["translatedText"].size(), 200U) << list.second;
}

// The model would invent something for them.
TEST(LibreTranslateTest, TextWithoutTokensHasNoTranslation) {
  const TestServer server;
  const json texts = {"\u200b", "\ufeff", " \u200b\n", "a\n\u200b\nb", "\u200b\ufeff"};
  const auto [status, body] =
      server.post("/translate", {{"q", texts}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(status, 200);
  EXPECT_EQ(body["translatedText"], json({"", "", " \n", "A\n\nB", ""}));
  const json html = server
                        .post("/translate", {{"q", "<p><b>\u200b</b></p>"},
                                             {"source", "en"},
                                             {"target", "de"},
                                             {"format", "html"}})
                        .second;
  EXPECT_EQ(html["translatedText"], "<p><b>\u200b</b></p>");
}

// A model of several target languages.
TEST(LibreTranslateTest, ATagStandsBeforeEachSentence) {
  const TestServer server({.loader = [](const ModelSpec&) {
    nmt::LoadedDecoder model = fake_model();
    model.source_tokenizer = data::fake_tokenizer<data::TaggedCharacters>();
    return model;
  }});
  const std::string tag(data::TaggedCharacters::kTag);
  const std::string seen = "\x7f";  // the id of the tag, which the decoder copies
  const json request = {
      {"q", "One. Two."}, {"source", "en"}, {"target", "de"}, {"source_tag", tag}};
  EXPECT_EQ(server.post("/translate", request).second["translatedText"],
            seen + "ONE. " + seen + "TWO.");
  json v1 = {{"text", "\u200b"}, {"model", "en-de"}, {"source_tag", tag}};
  EXPECT_EQ(server.post("/v1/translate", v1).second["results"][0]["text"], "");
  v1["text"] = "a";
  EXPECT_EQ(server.post("/v1/translate", v1).second["results"][0]["text"], seen + "A");
  for (const char* wrong : {"<2xx>", "two words", "a,b"}) {
    v1["source_tag"] = wrong;
    const auto [status, body] = server.post("/v1/translate", v1);
    EXPECT_EQ(status, 400);
    EXPECT_THAT(body["error"].get<std::string>(), HasSubstr("source_tag"));
    EXPECT_THAT(body["error"].get<std::string>(), HasSubstr(wrong));
  }
}

// As deep-translator sends them.
TEST(LibreTranslateTest, TheQueryOfAPostHasFields) {
  const TestServer server;
  const auto answer = server.client().Post("/translate?q=one&source=en&target=de&alternatives=1");
  EXPECT_EQ(answer->body, R"({"translatedText":"ONE","alternatives":["ONE!"]})");
}

TEST(LibreTranslateTest, StringsStandForNumbers) {
  const TestServer server;
  const auto [status, body] = server.post(
      "/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"alternatives", "2"}});
  EXPECT_EQ(body["alternatives"], json({"A!", "A!!"}));
}

TEST(LibreTranslateTest, TheFormsOfItsWebPage) {
  const TestServer server;
  const httplib::MultipartFormDataItems form = {
      {"q", "a", "", ""},         {"source", "auto", "", ""},    {"target", "de", "", ""},
      {"format", "text", "", ""}, {"alternatives", "3", "", ""}, {"api_key", "", "", ""}};
  const json body = TestServer::answer(server.client().Post("/translate", form)).second;
  EXPECT_EQ(body["alternatives"], json({"A!", "A!!", "A!!!"}));
  EXPECT_EQ(body["detectedLanguage"]["language"], "en");
  const json settings = server.get("/frontend/settings").second;
  EXPECT_EQ(settings["filesTranslation"], true);
  EXPECT_THAT(settings["supportedFilesFormat"], testing::Contains(json(".docx")));
  EXPECT_EQ(settings["suggestions"], false);
}

TEST(LibreTranslateTest, SuggestionsAreOff) {
  const TestServer server;
  const json suggestion = {{"q", "a"}, {"s", "b"}, {"source", "en"}, {"target", "de"}};
  EXPECT_EQ(error_of(server.post("/suggest", suggestion)),
            "403 Suggestions are disabled on this server.");
}

TEST(LibreTranslateTest, AListGivesListsAndAlternatives) {
  const TestServer server;
  const auto [status, body] = server.post(
      "/translate",
      {{"q", {"a. B", "c", ""}}, {"source", "auto"}, {"target", "de"}, {"alternatives", 2}});
  EXPECT_EQ(status, 200);
  EXPECT_EQ(body["translatedText"], json({"A. B", "C", ""}));
  EXPECT_EQ(body["alternatives"].dump(), R"([["A.! B!","A.!! B!!"],["C!","C!!"],["",""]])");
  EXPECT_EQ(body["detectedLanguage"][1]["language"], "en");
  EXPECT_LE(body["detectedLanguage"][1]["confidence"], 50.0);
}

TEST(LibreTranslateTest, NumbersInAListHaveTheLanguageOfTheOthers) {
  TestSettings settings;
  settings.specs = {{"en-fr", "en", "fr", "first"}, {"de-fr", "de", "fr", "second"}};
  const TestServer server(settings);
  const auto [status, body] = server.post(
      "/translate", {{"q", {"42", "Das Wetter war schön und wir gingen am Fluss entlang.", ""}},
                     {"source", "auto"},
                     {"target", "fr"}});
  ASSERT_EQ(status, 200) << body;
  for (const json& detected : body["detectedLanguage"]) EXPECT_EQ(detected["language"], "de");
}

TEST(LibreTranslateTest, TagsOfHtmlAreKept) {
  const TestServer server;
  const auto [status, body] =
      server.post("/translate", {{"q", "<p class=\"x\">a &amp; b. <b>c</b></p><script>d</script>"},
                                 {"source", "en"},
                                 {"target", "de"},
                                 {"format", "html"}});
  EXPECT_EQ(body["translatedText"], "<p class=\"x\">A &amp; B. <b>C</b></p><script>d</script>");
}

TEST(LibreTranslateTest, SentencesWithInlineTagsAreTranslatedWhole) {
  const TestServer server;
  const auto html = [&](const std::string& text) {
    return server
        .post("/translate", {{"q", text}, {"source", "en"}, {"target", "de"}, {"format", "html"}})
        .second["translatedText"];
  };
  EXPECT_EQ(html("<p>one <b>two</b> &lt; <a href=\"x\"><i>three</i></a></p>"),
            "<p>ONE <b>TWO</b> &lt; <a href=\"x\"><i>THREE</i></a></p>");
  // An element over two sentences, and marks between them.
  EXPECT_EQ(html("A <b>b c. Now d</b> e.<!-- x --> <i>Go on.</i>"),
            "A <b>B C. NOW D</b> E.<!-- x --> <i>GO ON.</i>");
  EXPECT_EQ(html("<b><img src=x></b> <i> </i><br>"), "<b><img src=x></b> <i> </i><br>");
}

TEST(LibreTranslateTest, FormulasOfHtmlStayIfTheRequestKeepsSymbols) {
  const TestServer server;
  const auto with_keep = [&](const char* keep) {
    return server
        .post("/translate", {{"q", "<p>a <b>h\u2082o</b> c</p>"},
                             {"source", "en"},
                             {"target", "de"},
                             {"format", "html"},
                             {"keep", keep}})
        .second["translatedText"];
  };
  EXPECT_EQ(with_keep("symbols"), "<p>A <b>h\u2082o</b> C</p>");
  EXPECT_EQ(with_keep("paths"), "<p>A <b>H\u2082O</b> C</p>");
}

TEST(LibreTranslateTest, AModelAndACheckOfCopiesCanBeAskedFor) {
  const TestServer server;
  const auto with = [&](const json& more, const char* target = "de") {
    json body = {{"q", "see www.a.org 5"}, {"source", "en"}, {"target", target}};
    body.update(more);
    return server.post("/translate", body);
  };
  EXPECT_EQ(with({{"check", "copies"}, {"keep", "none"}}).second["warnings"].dump(),
            R"(["text 1: \"www.a.org\" is not in the translation"])");
  EXPECT_FALSE(with({{"check", "none"}}).second.contains("warnings"));
  EXPECT_EQ(with(json::object()).second["translatedText"], "SEE www.a.org 5");
  EXPECT_THAT(error_of(with({{"keep", "urls"}})), HasSubstr("keep: 'urls' is no kind of text"));
  EXPECT_EQ(error_of(with({{"check", "all"}})), "400 check must be none or copies");
  EXPECT_EQ(with({{"model", "en-de+de-en"}}, "en").second["translatedText"], "SEE www.a.org 5");
  EXPECT_EQ(error_of(with({{"model", "de-en"}})), "400 source of model de-en is de, not en");
  EXPECT_EQ(error_of(with({{"model", "en-de+de-en"}})),
            "400 target of model en-de+de-en is en, not de");
  EXPECT_THAT(error_of(with({{"model", "other"}})), HasSubstr("there is no model 'other'"));
}

TEST(LibreTranslateTest, ErrorsAreObjectsWithTheirStatus) {
  const TestServer server;
  const json good = {{"q", "a"}, {"source", "en"}, {"target", "de"}};
  const auto with = [&](const char* name, const json& value) {
    json body = good;
    body[name] = value;
    return error_of(server.post("/translate", body));
  };
  EXPECT_EQ(with("q", nullptr), "400 Invalid request: missing q parameter");
  EXPECT_EQ(with("source", "fr"), "400 source: fr is not supported");
  EXPECT_EQ(with("target", "fr"), "400 target: fr is not supported");
  EXPECT_EQ(with("format", "pdf"), "400 format: pdf format is not supported; it is text or html");
  EXPECT_THAT(with("alternatives", -1), HasSubstr("400 alternatives must be a whole number"));
  json french = good;
  french["source"] = "auto";
  french["q"] = "La maison est rouge et le chien court.";
  const auto [status, same] = server.post("/translate", french);
  EXPECT_EQ(status, 200);
  EXPECT_EQ(same["translatedText"], french["q"]);
  EXPECT_EQ(same["detectedLanguage"]["language"], "fr");
  EXPECT_THAT(same["warnings"].dump(), HasSubstr("French (fr) is not supported for this target"));
  EXPECT_EQ(error_of(server.get("/nothing")), "404 there is no such path");
  EXPECT_EQ(error_of(server.get("/translate")), "405 this path takes POST");
  const auto broken = server.client().Post("/translate", "{\"q\": ", "application/json");
  EXPECT_THAT(error_of(TestServer::answer(broken)), HasSubstr("line 1, column"));
  EXPECT_EQ(with("q", text_of(std::vector<int32_t>{FakeDecoder::kPoison})),
            "500 Cannot translate text; the server's log has the reason");
  const TestServer small({.api = {.limits = {.characters = 3, .texts = 2}}});
  const auto refused = [&](const json& texts) {
    json body = good;
    body["q"] = texts;
    return error_of(small.post("/translate", body));
  };
  EXPECT_EQ(refused("abcd"), "413 the text (4 characters) exceeds character limit (3)");
  EXPECT_EQ(refused({"a", "b", "c"}), "413 the request (3 texts) exceeds text limit (2)");
}

TEST(LibreTranslateTest, MoreAlternativesThanTheLimitGiveAsManyAsItAllows) {
  const TestServer server({.api = {.limits = {.beam = 3}}});
  const json request = {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"alternatives", 40}};
  EXPECT_EQ(server.post("/translate", request).second["alternatives"], json({"A!", "A!!"}));
}

TEST(LibreTranslateTest, ATextInTheTargetLanguageStaysAsItIs) {
  const TestServer server;
  const auto translated = [&](const json& text, const char* source, const char* target) {
    return server.post("/translate", {{"q", text}, {"source", source}, {"target", target}}).second;
  };
  EXPECT_EQ(translated("one  <b>\n", "en", "EN"), json({{"translatedText", "one  <b>\n"}}));
  EXPECT_EQ(translated({"one", "two"}, "de", "de")["translatedText"], json({"one", "two"}));
  const std::string german = "Der Hund läuft nach Hause, und die Sonne scheint.";
  const json body = translated(german, "auto", "de");
  EXPECT_EQ(body["translatedText"], german);
  EXPECT_EQ(body["detectedLanguage"]["language"], "de");
  json v1 = {{"text", {german, "The house is red and the dog runs home."}},
             {"source", "auto"},
             {"target", "de"}};
  const json results = server.post("/v1/translate", v1).second["results"];
  EXPECT_EQ(results[0]["text"], german);
  EXPECT_FALSE(results[0].contains("model"));
  EXPECT_EQ(results[1]["text"], "THE HOUSE IS RED AND THE DOG RUNS HOME.");
  EXPECT_EQ(results[1]["model"], "en-de");
  EXPECT_EQ(results[1]["detectedLanguage"]["language"], "en");
  v1["source"] = "de";
  EXPECT_EQ(server.post("/v1/translate", v1).second["results"][1]["text"], v1["text"][1]);
}

// As Mastodon sends a post with its poll.
TEST(LibreTranslateTest, EachTextOfAListHasItsOwnLanguage) {
  TestSettings settings;
  settings.specs = {{"en-fr", "en", "fr", "first"}, {"de-fr", "de", "fr", "second"}};
  const TestServer server(settings);
  const json texts = {"The house is red and the dog runs home.",
                      "Das Wetter war schön und wir gingen am Fluss entlang.",
                      "La maison est rouge et le chien court.", "12:30",
                      "Дом красный, и собака бежит домой вместе с нами."};
  const auto [status, body] =
      server.post("/translate", {{"q", texts}, {"source", "auto"}, {"target", "fr"}});
  ASSERT_EQ(status, 200) << body;
  const json& translated = body["translatedText"];
  EXPECT_EQ(translated[0], "THE HOUSE IS RED AND THE DOG RUNS HOME.");
  EXPECT_THAT(translated[1].get<std::string>(), HasSubstr("DAS WETTER"));
  for (const size_t same : {2U, 3U, 4U}) EXPECT_EQ(translated[same], texts[same]);
  std::string codes;
  for (const json& found : body["detectedLanguage"])
    codes += found["language"].get<std::string>() + " ";
  EXPECT_EQ(codes, "en de fr en ru ");
  EXPECT_EQ(
      body["warnings"],
      json({"text 5: not translated, because Russian (ru) is not supported for this target"}));
}

TEST(LibreTranslateTest, PathsMayEndInASlashAndStartWithAPrefix) {
  const TestServer server({.api = {.url_prefix = "/translate-api"}});
  const json request = {{"q", "a"}, {"source", "EN"}, {"target", "DE"}};
  for (const char* path :
       {"/translate", "/translate/", "/translate-api/translate", "/translate-api/translate/"})
    EXPECT_EQ(server.post(path, request).second["translatedText"], "A") << path;
  for (const char* path : {"/languages/", "/translate-api/languages"})
    EXPECT_EQ(server.get(path).first, 200) << path;
  for (const char* path : {"/translate-apis/languages", "/translate//", "/languages//"})
    EXPECT_EQ(server.get(path).first, 404) << path;
  const auto bare = server.client().Get("/translate-api");
  EXPECT_EQ(bare->status, 308);
  EXPECT_EQ(bare->get_header_value("Location"), "/translate-api/");
}

TEST(LibreTranslateTest, ClientsRecogniseItByItsDescription) {
  const TestServer server;
  const json spec = server.get("/spec").second;
  EXPECT_EQ(spec["info"]["title"], "LibreTranslate");
  EXPECT_TRUE(spec["paths"].contains("/translate"));
}

TEST(LibreTranslateTest, LanguagesSettingsAndDetection) {
  const TestServer server;
  EXPECT_EQ(server.get("/languages").second[0],
            json({{"code", "en"}, {"name", "English"}, {"targets", {"de"}}}));
  const TestServer chinese({.specs = {{"en-zh", "en", "zh_Hant", "first"}}});
  const json list = chinese.get("/languages").second;
  EXPECT_EQ(list[0]["targets"], json({"zh-Hant"}));
  EXPECT_EQ(
      list[1],
      json({{"code", "zh-Hant"}, {"name", "Chinese (Traditional)"}, {"targets", json::array()}}));
  const json settings = server.get("/frontend/settings").second;
  EXPECT_EQ(settings["charLimit"], 200'000);
  EXPECT_EQ(settings["language"]["target"]["name"], "German");
  const json german =
      server.post("/detect", {{"q", "Das Wetter war schön und wir gingen."}}).second[0];
  EXPECT_EQ(german["language"], "de");
  EXPECT_GT(german["confidence"], 90.0);
  const json none = json::array({{{"confidence", 0.0}, {"language", "en"}}});
  EXPECT_EQ(server.post("/detect", {{"q", "12"}}).second, none);
  EXPECT_EQ(server.post("/detect", {{"q", {"12", "-"}}}).second, json({none, none}));
  EXPECT_EQ(server.get("/health").second, json({{"status", "ok"}}));
}

}  // namespace
}  // namespace dietmt::service
