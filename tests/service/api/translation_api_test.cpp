// The API from the client's side.
#include <gmock/gmock.h>

#include "tests/common/scratch.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kPoison = text_of(std::vector<int32_t>{FakeDecoder::kPoison});

std::string error_of(const std::pair<int, json>& answer) {
  return std::to_string(answer.first) + " " + answer.second.value("error", "none");
}

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
  EXPECT_THAT(form.second["warnings"].dump(), HasSubstr("20001 tokens was cut to the first 200"));
  const httplib::MultipartFormDataItems items = {
      {"q", "ab", "", ""}, {"source", "en", "", ""}, {"target", "de", "", ""}};
  const auto multipart = TestServer::answer(server.client().Post("/translate", items));
  EXPECT_EQ(multipart.second.value("translatedText", ""), "AB");
  httplib::MultipartFormDataItems many(200, {"q", "ab", "", ""});
  many.insert(many.end(), items.begin() + 1, items.end());
  const auto list = TestServer::answer(server.client().Post("/translate", many));
  EXPECT_EQ(list.second["translatedText"].size(), 200U) << list.second;
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

// The spacing around sentences stays.
TEST(V1Test, SentencesOfHtmlRunOverLines) {
  const TestServer server;
  const auto [status, body] = server.post(
      "/v1/translate",
      {{"text", "<p>\n  One\r\n  <b>two\n  three</b>\n  four.\n  Five.\n</p><pre>six\nseven</pre>"},
       {"model", "en-de"},
       {"format", "html"}});
  ASSERT_EQ(status, 200) << body;
  std::vector<std::string> sources;
  for (const json& sentence : body["results"][0]["sentences"])
    sources.push_back(sentence["source"]);
  EXPECT_THAT(sources, ElementsAre("One two three four.", "Five.", "six", "seven"));
  EXPECT_EQ(body["results"][0]["text"],
            "<p>\n  ONE <b>TWO THREE</b> FOUR.\n  FIVE.\n</p><pre>SIX\nSEVEN</pre>");
}

TEST(LibreTranslateTest, AModelAndACheckOfCopiesCanBeAskedFor) {
  const TestServer server;
  const auto with = [&](const json& more, const char* target = "de") {
    json body = {{"q", "see www.a.org 5"}, {"source", "en"}, {"target", target}};
    body.update(more);
    return server.post("/translate", body);
  };
  EXPECT_EQ(with({{"check", "copies"}}).second["warnings"].dump(),
            R"(["text 1: \"www.a.org\" is not in the translation"])");
  EXPECT_FALSE(with({{"check", "none"}}).second.contains("warnings"));
  EXPECT_EQ(error_of(with({{"check", "all"}})), "400 check must be none or copies");
  EXPECT_EQ(with({{"model", "en-de+de-en"}}, "en").second["translatedText"], "SEE WWW.A.ORG 5");
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
  EXPECT_EQ(with("format", "pdf"), "400 format must be text or html");
  EXPECT_EQ(with("alternatives", 99), "400 alternatives must be a whole number from 0 to 31");
  json german = good;
  german["source"] = "auto";
  german["q"] = "Das Wetter war schön und wir gingen am Fluss entlang.";
  EXPECT_THAT(error_of(server.post("/translate", german)),
              HasSubstr("400 source: auto found German (de)"));
  EXPECT_EQ(error_of(server.get("/nothing")), "404 there is no such path");
  EXPECT_EQ(error_of(server.get("/translate")), "405 this path takes POST");
  const auto broken = server.client().Post("/translate", "{\"q\": ", "application/json");
  EXPECT_THAT(error_of(TestServer::answer(broken)), HasSubstr("line 1, column"));
  EXPECT_EQ(
      error_of(server.post("/translate", {{"q", kPoison}, {"source", "en"}, {"target", "de"}})),
      "500 the request failed; the server's log says why");
}

TEST(LibreTranslateTest, LanguagesSettingsAndDetection) {
  const TestServer server;
  EXPECT_EQ(server.get("/languages").second[0],
            json({{"code", "en"}, {"name", "English"}, {"targets", {"de"}}}));
  const json settings = server.get("/frontend/settings").second;
  EXPECT_EQ(settings["charLimit"], 200'000);
  EXPECT_EQ(settings["language"]["target"]["name"], "German");
  const json german =
      server.post("/detect", {{"q", "Das Wetter war schön und wir gingen."}}).second[0];
  EXPECT_EQ(german["language"], "de");
  EXPECT_GT(german["confidence"], 90.0);
  EXPECT_EQ(server.post("/detect", {{"q", "12"}}).second,
            json::array({{{"confidence", 0.0}, {"language", "en"}}}));
  EXPECT_EQ(server.get("/health").second, json({{"status", "ok"}}));
}

TEST(V1Test, SentencesHypothesesAndScores) {
  const TestServer server;
  const auto [status, body] = server.post(
      "/v1/translate",
      {{"text", " ab.  C \n"}, {"model", "en-de"}, {"nbest", 2}, {"token_scores", true}});
  ASSERT_EQ(status, 200);
  const json& result = body["results"][0];
  EXPECT_EQ(result["text"], " AB.  C \n");
  EXPECT_EQ(result["after"], " \n");
  EXPECT_EQ(result["cut"], false);
  ASSERT_EQ(result["sentences"].size(), 2U);
  const json& first = result["sentences"][0];
  EXPECT_EQ(first["before"], " ");
  EXPECT_EQ(first["source"], "ab.");
  EXPECT_EQ(first["source_tokens"], 4);
  EXPECT_EQ(first["translations"][1]["text"], "AB.!");
  EXPECT_EQ(first["translations"][1]["score"], -1.5);
  EXPECT_EQ(first["translations"][0]["tokens"][3], json({{"piece", "</s>"}, {"score", -0.5}}));
  EXPECT_EQ(body["usage"]["sentences"], 2);
  EXPECT_EQ(body["usage"]["source_tokens"], 6);
  EXPECT_EQ(body["usage"]["target_tokens"], 6);
}

TEST(V1Test, AlignmentsOfWords) {
  const TestServer server;
  const auto [status, body] = server.post(
      "/v1/translate", {{"text", "ab c. Now d"}, {"model", "en-de"}, {"alignment", true}});
  ASSERT_EQ(status, 200);
  const json& sentences = body["results"][0]["sentences"];
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[0]["translations"][0]["alignment"].dump(), "[[0,0],[1,1]]");
  EXPECT_EQ(server.post("/v1/translate", {{"text", "a"}, {"model", "en-de"}})
                .second["results"][0]["sentences"][0]["translations"][0]
                .contains("alignment"),
            false);
}

TEST(V1Test, SoftAlignmentsOfPieces) {
  const TestServer server;
  const auto [status, body] = server.post(
      "/v1/translate", {{"text", "ab c"}, {"model", "en-de"}, {"alignment", "soft"}, {"nbest", 2}});
  ASSERT_EQ(status, 200);
  const json& translations = body["results"][0]["sentences"][0]["translations"];
  ASSERT_EQ(translations.size(), 2U);
  for (const json& one : translations) {
    const json& soft = one["alignment"];
    EXPECT_EQ(soft["source_tokens"].size(), 5U);
    EXPECT_EQ(soft["source_tokens"].back(), "</s>");
    EXPECT_EQ(soft["weights"].size(), soft["target_tokens"].size());
    for (const json& row : soft["weights"]) EXPECT_EQ(row.size(), 5U);
    EXPECT_FALSE(one.contains("tokens"));
  }
  EXPECT_EQ(translations[0]["alignment"]["weights"][1].dump(), "[0.0,1.0,0.0,0.0,0.0]");
  const auto hard =
      server.post("/v1/translate", {{"text", "ab c"}, {"model", "en-de"}, {"alignment", "hard"}});
  EXPECT_EQ(hard.second["results"][0]["sentences"][0]["translations"][0]["alignment"].dump(),
            "[[0,0],[1,1]]");
  for (const json& wrong : {json("some"), json(1)})
    EXPECT_EQ(
        server.post("/v1/translate", {{"text", "a"}, {"model", "en-de"}, {"alignment", wrong}})
            .first,
        400);
}

TEST(V1Test, CopiesAreChecked) {
  const TestServer server;
  const auto found = [&](const json& check) {
    return server
        .post("/v1/translate", {{"text", "see www.a.org 5"}, {"model", "en-de"}, {"check", check}})
        .second;
  };
  const json one = found("copies")["results"][0]["sentences"][0]["translations"][0];
  EXPECT_EQ(one["text"], "SEE WWW.A.ORG 5");
  EXPECT_EQ(one["missing_copies"].dump(), "[\"www.a.org\"]");
  EXPECT_FALSE(
      found("none")["results"][0]["sentences"][0]["translations"][0].contains("missing_copies"));
  EXPECT_EQ(found("all")["option"], "check");
}

TEST(V1Test, SoftAlignmentsHaveALimit) {
  const TestServer server;
  const std::vector<std::string> texts(10, std::string(190, 'a'));
  const auto [status, body] = server.post(
      "/v1/translate", {{"text", texts}, {"model", "en-de"}, {"alignment", "soft"}, {"nbest", 5}});
  EXPECT_EQ(status, 413);
  EXPECT_NE(body.dump().find("the most in an answer is 1000000"), std::string::npos);
}

TEST(V1Test, MarkupMovesWithItsWords) {
  const TestServer server;
  const auto [status, body] =
      server.post("/v1/translate", {{"text", "Open {0} of <b>x</b>. $a$ Go"},
                                    {"model", "en-de"},
                                    {"markup", true},
                                    {"nbest", 2}});
  ASSERT_EQ(status, 200);
  const json& result = body["results"][0];
  EXPECT_EQ(result["text"], "OPEN {0} OF <b>X</b>. $a$ GO");
  EXPECT_EQ(result["sentences"][0]["source"], "Open of x.");
  EXPECT_EQ(result["sentences"][0]["translations"][1]["text"], "OPEN {0} OF <b>X</b>.!");
}

TEST(V1Test, SentencesThatOnlyATagKeepsApartAreTwo) {
  const TestServer server;
  const auto translated = [&](const std::string& text) {
    const json body =
        server.post("/v1/translate", {{"text", text}, {"model", "en-de"}, {"markup", true}}).second;
    EXPECT_EQ(body["results"][0]["sentences"].size(), 2U) << text;
    return body["results"][0]["text"];
  };
  EXPECT_EQ(translated("Dogs run.<br>A cat sits."), "DOGS RUN.<br>A CAT SITS.");
  EXPECT_EQ(translated("Dogs run.<x id=\"1\"/>A cat."), "DOGS RUN.<x id=\"1\"/>A CAT.");
  EXPECT_EQ(translated("Dogs run.{0} A cat."), "DOGS RUN.{0} A CAT.");
  EXPECT_EQ(translated("<p>Dogs run.</p><p>A cat.</p>"), "<p>DOGS RUN.</p> <p>A CAT.</p>");
}

TEST(V1Test, LinesOfOnlyPlaceholdersKeepTheirBreaks) {
  const TestServer server;
  for (const std::string text :
       {"The dog.\n\n{1}\n\n{2}\n\nThe cat.", "{0}\nThe dog.\n{1}\n{2}\n"}) {
    const json body =
        server.post("/v1/translate", {{"text", text}, {"model", "en-de"}, {"markup", true}}).second;
    std::string capitals = text;
    for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(body["results"][0]["text"], capitals);
  }
}

TEST(V1Test, OneSentenceWithAPrefix) {
  const TestServer server;
  const auto [status, body] = server.post("/v1/translate", {{"text", {"a. b", "c"}},
                                                            {"source", "en"},
                                                            {"target", "de"},
                                                            {"split_sentences", false},
                                                            {"prefix", "P:"}});
  ASSERT_EQ(status, 200);
  EXPECT_EQ(body["results"][0]["text"], "P:A. B");
  EXPECT_EQ(body["results"][1]["sentences"].size(), 1U);
}

TEST(V1Test, ThePrefixesOfAllTextsAreLimited) {
  TestSettings settings;
  settings.api.limits.characters = 1000;
  const TestServer server(settings);
  const auto status = [&](size_t texts) {
    return server
        .post("/v1/translate", {{"text", std::vector<std::string>(texts, "a")},
                                {"model", "en-de"},
                                {"split_sentences", false},
                                {"prefix", std::string(100, 'p')}})
        .first;
  };
  EXPECT_EQ(status(10), 200);
  EXPECT_EQ(status(11), 413);
}

TEST(V1Test, WrongOptionsAreNamed) {
  const TestServer server;
  const auto option = [&](const json& extra) {
    json body = {{"text", "a"}, {"model", "en-de"}};
    body.update(extra);
    const auto [status, answer] = server.post("/v1/translate", body);
    return std::to_string(status) + " " + answer.value("option", "");
  };
  EXPECT_EQ(option({{"beam", 0}}), "400 beam");
  EXPECT_EQ(option({{"nbest", 6}}), "400 nbest");
  EXPECT_EQ(option({{"temperature", 0}, {"sample", true}}), "400 temperature");
  EXPECT_EQ(option({{"no_repeat_ngram", -1}}), "400 no_repeat_ngram");
  EXPECT_EQ(option({{"repetition_penalty", 1000}}), "400 repetition_penalty");
  EXPECT_EQ(option({{"patience", 0}}), "400 patience");
  EXPECT_EQ(option({{"no_repeat_ngram", 3}, {"repetition_penalty", 1.1}, {"patience", 2}}), "200 ");
  EXPECT_EQ(option({{"beams", 5}}), "400 beams");
  EXPECT_EQ(option({{"model", "fr-de"}}), "400 model");
  EXPECT_EQ(option({{"source", "fr"}}), "400 source");
  EXPECT_EQ(option({{"prefix", "x"}}), "400 prefix");
  EXPECT_EQ(option({{"deadline_ms", 0}}), "400 deadline_ms");
  EXPECT_EQ(option({{"source", "en"}, {"target", "de"}}), "200 ");
}

TEST(V1Test, ALongTextIsTranslatedAndWhatIsCutIsSaid) {
  const TestServer server;
  std::string text;
  while (text.size() < 100'000) text += "a sentence of some words.\n";
  const auto [status, body] = server.post("/v1/translate", {{"text", text}, {"model", "en-de"}});
  ASSERT_EQ(status, 200);
  EXPECT_EQ(body["results"][0]["text"].get<std::string>().size(), text.size());
  EXPECT_EQ(body["results"][0]["cut"], false);

  const auto cut =
      server.post("/v1/translate", {{"text", std::string(250, 'x')}, {"model", "en-de"}})
          .second["results"][0];
  EXPECT_EQ(cut["cut"], true);
  EXPECT_EQ(cut["sentences"][0]["source_tokens"], 200);
  EXPECT_EQ(cut["sentences"][0]["cut_tokens"], 51);
}

// Models that read two sentences of context; their translations show what they read.
TestSettings reading_context() {
  return {.loader = [](const ModelSpec&) {
    LoadedModel model = fake_model();
    model.context = {.sentences = 2, .source_separator = '|', .max_tokens = 100};
    return model;
  }};
}

TEST(ContextTest, IsReadAsTheTextIs) {
  const TestServer server(reading_context());
  const auto translated = [&](const json& context, const json& more = json::object()) {
    json request = {{"text", "c d"}, {"model", "en-de"}, {"context", context}};
    request.update(more);
    const auto [status, body] = server.post("/v1/translate", request);
    EXPECT_EQ(status, 200) << body;
    return body["results"][0]["text"].get<std::string>();
  };
  EXPECT_EQ(translated({"a", "b"}), "A|B|C D");
  EXPECT_EQ(translated("One. Two."), "ONE.|TWO.|C D");
  EXPECT_EQ(translated({"a", "", "b"}), "B|C D");
  EXPECT_EQ(translated({"a", " \n"}), "C D");
  EXPECT_EQ(translated("<p>a &amp; <b>b</b></p>"), "<P>A &AMP; <B>B</B></P>|C D");
  EXPECT_EQ(translated("<p>a &amp; <b>b</b></p><br>", {{"format", "html"}}), "A &amp; B|C D");
  EXPECT_EQ(translated({"a", "<br/>"}, {{"format", "html"}}), "C D");
  EXPECT_EQ(translated("<b>a</b> {0}", {{"markup", true}}), "A|C D");
}

TEST(ContextTest, CountsForTheLimits) {
  const TestServer server({.api = {.limits = {.characters = 10, .texts = 3}}});
  const auto status = [&](const json& context) {
    return server
        .post("/v1/translate", {{"text", "12345"}, {"model", "en-de"}, {"context", context}})
        .first;
  };
  EXPECT_EQ(status("12345"), 200);
  EXPECT_EQ(status("123456"), 413);
  EXPECT_EQ(status({"1", "2"}), 200);
  EXPECT_EQ(status({"1", "2", "3"}), 413);
}

TEST(LimitsTest, TooMuchIs413) {
  const TestServer server({.api = {.limits = {.characters = 10, .texts = 2, .body_bytes = 1000}}});
  const auto status = [&](const json& text) {
    return server.post("/v1/translate", {{"text", text}, {"model", "en-de"}}).first;
  };
  EXPECT_EQ(status("ääääääääää"), 200);  // ten characters, twenty bytes
  EXPECT_EQ(status("12345678901"), 413);
  EXPECT_EQ(status({"1", "2", "3"}), 413);
  EXPECT_EQ(status(std::string(2000, 'x')), 413);
  // The connection can still be used.
  httplib::Client client = server.client();
  client.set_keep_alive(true);
  EXPECT_EQ(client.Post("/translate", std::string(100'000, 'x'), "application/json")->status, 413);
  EXPECT_EQ(client.Get("/health")->status, 200);
}

class KeyTest : public ScratchTest {};

TEST_F(KeyTest, KeysComeInEveryWayThatClientsUse) {
  const TestServer server(
      {.api = {.api_keys = write("keys", "secret,somebody,0\nroot,operator,0,admin\nrare,x,1\n")}});
  const json body = {{"q", "a"}, {"source", "en"}, {"target", "de"}};
  const json v1 = {{"text", "a"}, {"model", "en-de"}};
  json with_key = body;
  with_key["api_key"] = "secret";
  EXPECT_EQ(server.post("/translate", body).first, 401);
  EXPECT_EQ(server.post("/translate", with_key).first, 200);
  EXPECT_EQ(server.post("/v1/translate", v1).first, 401);
  for (const char* key : {"Bearer secret", "bearer secret", "BEARER  secret"})
    EXPECT_EQ(server.post("/v1/translate", v1, {{"Authorization", key}}).first, 200) << key;
  EXPECT_EQ(server.post("/v1/translate", v1, {{"X-API-Key", "secret"}}).first, 200);
  EXPECT_EQ(server.post("/v1/translate?api_key=secret", v1).first, 200);
  EXPECT_EQ(server.post("/v1/translate", v1, {{"X-API-Key", "wrong"}}).first, 403);
  EXPECT_EQ(server.get("/v1/jobs").first, 401);  // by any handler
  EXPECT_EQ(server.get("/languages").first, 200);
  EXPECT_EQ(server.get("/frontend/settings").second["keyRequired"], true);
  EXPECT_EQ(server.post("/v1/models/reload", {}, {{"X-API-Key", "secret"}}).first, 403);
  EXPECT_EQ(server.post("/v1/models/reload", json::object(), {{"X-API-Key", "root"}}).first, 200);
  EXPECT_EQ(server.post("/v1/models/reload", {{"api_key", "root"}}).first, 200);
  json v1_with_key = v1;
  v1_with_key["api_key"] = "secret";
  EXPECT_EQ(server.post("/v1/translate", v1_with_key).first, 200);
  v1_with_key["api_key"] = "wrong";
  EXPECT_EQ(server.post("/v1/translate", v1_with_key).first, 403);

  EXPECT_EQ(server.get("/v1/models", {{"X-API-Key", "rare"}}).first, 200);
  const auto refused = server.client().Get("/v1/models", {{"X-API-Key", "rare"}});
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->get_header_value("Retry-After"), "60");
}

TEST(ReloadTest, WithoutKeysOnlyTheMachineItselfMayReload) {
  const TestServer server;
  const auto reload = [&](const httplib::Headers& headers) {
    return error_of(server.post("/v1/models/reload", json::object(), headers));
  };
  const std::string port = std::to_string(server.port());
  for (const std::string host : {"localhost", "127.0.0.1", "[::1]"}) {
    EXPECT_EQ(reload({{"Host", host}}), "200 none");
    EXPECT_EQ(reload({{"Host", host + ":" + port}, {"Origin", "http://" + host + ":" + port}}),
              "200 none");
  }
  for (const std::string host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil:80"})
    EXPECT_THAT(reload({{"Host", host + ":" + port}}), HasSubstr("403 without API keys, the Host"));
  for (const std::string origin : {"https://evil.example", "null", "http://localhost:1"})
    EXPECT_THAT(reload({{"Host", "localhost:" + port}, {"Origin", origin}}),
                HasSubstr("403 without API keys, a page of another origin"));
}

TEST(TranslationApiTest, SaysTheLengthsOfAModelThatHaveALimit) {
  const TestServer server;
  EXPECT_FALSE(server.get("/v1/models").second["models"][0].contains("max_source_length"));
  server.post("/v1/translate", {{"text", "a"}, {"model", "en-de"}});
  const json model = server.get("/v1/models").second["models"][0];
  EXPECT_EQ(model["max_source_length"], 200);
  EXPECT_FALSE(model.contains("max_target_length")) << model;
}

}  // namespace
}  // namespace dietmt::service
