// /v1/translate from the client's side.
#include <gmock/gmock.h>

#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::ElementsAre;

// The spacing around sentences stays.
TEST(V1Test, SentencesOfHtmlRunOverLines) {
  const TestServer server;
  const auto [status, body] =
      server.post("/v1/translate", {{"text",
                                     "<p>\n  One\r\n  <b>two\n  three</b>\n  four.\n  "
                                     "Five.\n</p><pre>We six go on.\nseven</pre>"},
                                    {"model", "en-de"},
                                    {"format", "html"}});
  ASSERT_EQ(status, 200) << body;
  std::vector<std::string> sources;
  for (const json& sentence : body["results"][0]["sentences"])
    sources.push_back(sentence["source"]);
  EXPECT_THAT(sources, ElementsAre("One two three four.", "Five.", "We six go on.", "seven"));
  EXPECT_EQ(body["results"][0]["text"],
            "<p>\n  ONE <b>TWO THREE</b> FOUR.\n  FIVE.\n</p><pre>WE SIX GO ON.\nSEVEN</pre>");
}

// As in a file.
TEST(V1Test, HtmlHasTextsInAttributes) {
  const TestServer server;
  const auto [status, body] =
      server.post("/v1/translate", {{"text",
                                     "<html lang=en><p title='a &quot;b&quot;'>One <img alt='The "
                                     "house. It is.' src=x> two &copy;"
                                     "</p><img alt='12'><code title=x>y</code>"},
                                    {"model", "en-de"},
                                    {"format", "html"}});
  ASSERT_EQ(status, 200) << body;
  EXPECT_EQ(body["results"][0]["text"],
            "<html lang=de><p title=\"A &quot;B&quot;\">ONE <img alt=\"THE HOUSE. IT IS.\" src=x> "
            "TWO &copy;</p><img alt=\"12\"><code title=x>y</code>");
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
        .post("/v1/translate",
              {{"text", "see www.a.org 5"}, {"model", "en-de"}, {"keep", "none"}, {"check", check}})
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
  EXPECT_NE(body.dump().find("the limit for an answer is 1000000"), std::string::npos);
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

TEST(V1Test, MarkupIsNotAligned) {
  const TestServer server;
  const auto asked = [&](const json& markup, const json& alignment) {
    return server.post(
        "/v1/translate",
        {{"text", "a <b>b</b>"}, {"model", "en-de"}, {"markup", markup}, {"alignment", alignment}});
  };
  for (const json& alignment : {json(true), json("hard"), json("soft")}) {
    const auto refused = asked(true, alignment);
    EXPECT_EQ(error_of(refused), "400 markup moves words: leave out alignment");
    EXPECT_EQ(refused.second["option"], "alignment");
  }
  EXPECT_EQ(asked(true, "none").first, 200);
  EXPECT_EQ(asked(false, "hard").first, 200);
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

TEST(V1Test, TheCaseOfATextIsRestored) {
  const TestServer server;
  const json body =
      server
          .post("/v1/translate",
                {{"text", {"HELLO DOGS", "hello"}}, {"model", "en-de"}, {"case", "auto"}})
          .second;
  const json& sentence = body["results"][0]["sentences"][0];
  EXPECT_EQ(sentence["source"], "Hello dogs") << "as the model reads it";
  EXPECT_EQ(sentence["case"], "capitals");
  EXPECT_EQ(body["results"][0]["text"], "HELLO DOGS");
  EXPECT_FALSE(body["results"][1]["sentences"][0].contains("case"));
  EXPECT_EQ(server.post("/v1/translate", {{"text", "a"}, {"model", "en-de"}, {"case", "up"}}).first,
            400);
  EXPECT_EQ(server
                .post("/translate",
                      {{"q", "HELLO"}, {"source", "en"}, {"target", "de"}, {"case", "auto"}})
                .second["translatedText"],
            "HELLO");
  ApiSettings settings;
  settings.limits.restores_case = true;
  const TestServer restoring({.api = settings});
  const json request{{"text", "HELLO DOGS"}, {"model", "en-de"}};
  json keeping = request;
  keeping["case"] = "keep";
  const auto sentence_of = [&](const json& asked) {
    return restoring.post("/v1/translate", asked).second["results"][0]["sentences"][0];
  };
  EXPECT_EQ(sentence_of(request)["case"], "capitals");
  EXPECT_FALSE(sentence_of(keeping).contains("case"));
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
  settings.api.limits.characters = 400;
  const TestServer server(settings);
  const auto status = [&](size_t texts) {
    return server
        .post("/v1/translate", {{"text", std::vector<std::string>(texts, "a")},
                                {"model", "en-de"},
                                {"split_sentences", false},
                                {"prefix", std::string(40, 'p')}})
        .first;
  };
  EXPECT_EQ(status(10), 200);
  EXPECT_EQ(status(11), 413);
}

// Each token of a prefix is decoded. "a" with end of sentence allows 2 * 2 + 50 tokens.
TEST(V1Test, APrefixIsNotLongerThanATranslation) {
  const TestServer server;
  const auto translate = [&](size_t characters, const json& extra = json::object()) {
    json body = {{"text", "a"},
                 {"model", "en-de"},
                 {"split_sentences", false},
                 {"prefix", std::string(characters, 'p')}};
    body.update(extra);
    return server.post("/v1/translate", body);
  };
  EXPECT_EQ(translate(53).first, 200);
  const auto [status, refusal] = translate(54);
  EXPECT_EQ(status, 400);
  EXPECT_EQ(refusal.value("option", ""), "prefix");
  EXPECT_THAT(refusal.value("error", ""), testing::HasSubstr("55 tokens"));
  EXPECT_EQ(translate(54, {{"max_length_offset", 51}}).first, 200);
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
    nmt::LoadedDecoder model = fake_model();
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

}  // namespace
}  // namespace dietmt::service
