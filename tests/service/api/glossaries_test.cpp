// Glossaries of a server and of its requests. The decoder writes terms after the sentence; it
// cannot write terms with #.
#include "service/api/glossaries.h"

#include <gmock/gmock.h>

#include "tests/common/scratch.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class GlossariesTest : public ScratchTest {
 protected:
  GlossariesTest() {
    write("pets.tsv", "dog\thund|koeter\n");
    write("pets.en-de.tsv", "dog\tdackel\ncat\tkatze\n");
    write("other.de-en.tsv", "hund\tdog\n");
    write("notes.txt", "no glossary");
  }

  TestServer server() const {
    return TestServer({.api = {.glossaries = std::make_shared<Glossaries>(scratch())}});
  }

  static std::string translated(const TestServer& server, const json& glossary,
                                const std::string& pair = "en-de") {
    const auto [status, body] =
        server.post("/v1/translate", {{"text", "a dog"}, {"model", pair}, {"glossary", glossary}});
    return status == 200 ? body["results"][0]["text"].get<std::string>()
                         : std::to_string(status) + " " + body.value("option", "") + ": " +
                               body.value("error", "");
  }

  static std::string translated_by_libretranslate(const TestServer& server, json request) {
    request.update({{"q", "A dog. Cat?"}, {"source", "en"}, {"target", "de"}});
    const auto [status, body] = server.post("/translate", request);
    return status == 200 ? body["translatedText"].get<std::string>() : body.value("error", "");
  }
};

TEST_F(GlossariesTest, WrongTextsToAvoidAreNamed) {
  const TestServer served = server();
  const auto refused = [&](const json& avoid) {
    const auto [status, body] =
        served.post("/v1/translate", {{"text", "a dog"}, {"model", "en-de"}, {"avoid", avoid}});
    return std::to_string(status) + " " + body.value("option", "") + ": " + body.value("error", "");
  };
  EXPECT_THAT(refused({"", "x"}), HasSubstr("400 avoid: avoid has an empty text"));
  EXPECT_THAT(refused(json{1}), HasSubstr("400 avoid: "));
  EXPECT_THAT(refused(std::vector<std::string>(101, "x")), HasSubstr("101 texts"));
}

TEST_F(GlossariesTest, ARequestNamesAGlossaryOfItsLanguages) {
  const TestServer served = server();
  EXPECT_EQ(translated(served, "pets"), "A DOG dackel");
  EXPECT_EQ(translated(served, "pets", "ru-en"), "A DOG hund");
  EXPECT_EQ(translated(served, nullptr), "A DOG");
  EXPECT_THAT(translated(served, "other"), HasSubstr("'other' is not for en-de"));
  EXPECT_EQ(translated(served, "none"),
            "400 glossary: there is no glossary 'none'; /v1/glossaries lists them");
  EXPECT_EQ(translated_by_libretranslate(served, {{"glossary", "pets"}}),
            "A DOG. dackel CAT? katze");
}

TEST_F(GlossariesTest, ARequestBringsItsOwn) {
  const TestServer served;
  EXPECT_EQ(translated(served, {{"dog", "hund"}, {"cat", "katze"}}), "A DOG hund");
  EXPECT_EQ(translated_by_libretranslate(served, {{"glossary", {{"dog", "hund"}}}}),
            "A DOG. hund CAT?");
  EXPECT_EQ(translated(served, {{"dog", ""}}), "400 glossary: glossary: the target term is empty");
  EXPECT_EQ(translated(served, {{"dog", 3}}),
            "400 glossary: glossary must have strings as its values");
  EXPECT_EQ(translated(served, {"dog", "hund"}), "400 glossary: glossary must be a string");
  json many = json::object();
  for (int i = 0; i <= 1000; ++i) many["term " + std::to_string(i)] = "x";
  EXPECT_EQ(translated(served, many), "400 glossary: glossary has 1001 terms; the limit is 1000");
}

TEST_F(GlossariesTest, FormsNameOne) {
  const TestServer served = server();
  const auto answer = TestServer::answer(served.client().Post(
      "/translate",
      httplib::Params{{"q", "dog"}, {"source", "en"}, {"target", "de"}, {"glossary", "pets"}}));
  EXPECT_EQ(answer.second["translatedText"], "DOG dackel");
}

TEST_F(GlossariesTest, DocumentsAreTranslatedWithOne) {
  write("odd.tsv", "dog\thund\ncat\t#\n");
  const TestServer served = server();
  const httplib::MultipartFormDataItems form = {{"file", "a dog\ncat\n", "a.txt", ""},
                                                {"source", "en", "", ""},
                                                {"target", "de", "", ""},
                                                {"glossary", "odd", "", ""}};
  const json answer = TestServer::answer(served.client().Post("/translate_file", form)).second;
  EXPECT_EQ(answer["warnings"], json({"the glossary's term \"#\" is not in every translation"}));
  const std::string url = answer.at("translatedFileUrl");
  EXPECT_EQ(served.client().Get(url.substr(url.find("/download_file")))->body, "A DOG hund\nCAT\n");
}

TEST_F(GlossariesTest, TermsThatATranslationLacksAreNamed) {
  const TestServer served;
  const json glossary = {{"dog", "#1|#2"}, {"cat", "katze"}};
  const auto [status, body] =
      served.post("/v1/translate",
                  {{"text", "dog cat"}, {"model", "en-de"}, {"nbest", 2}, {"glossary", glossary}});
  ASSERT_EQ(status, 200);
  for (const json& one : body["results"][0]["sentences"][0]["translations"])
    EXPECT_EQ(one["missing_terms"], json({"#1|#2"}));
  const json warned =
      served
          .post("/translate",
                {{"q", {"cat", "dog"}}, {"source", "en"}, {"target", "de"}, {"glossary", glossary}})
          .second;
  EXPECT_EQ(warned["warnings"],
            json({"text 2: the glossary's term \"#1|#2\" is not in the translation"}));
}

TEST_F(GlossariesTest, NeedsABeam) {
  const TestServer served;
  const json request = {{"text", "a"}, {"model", "en-de"}, {"glossary", {{"a", "b"}}}};
  json greedy = request, sampled = request;
  greedy["beam"] = 1;
  sampled["sample"] = true;
  EXPECT_EQ(served.post("/v1/translate", greedy).second["error"], "glossary needs beam 2 or more");
  EXPECT_EQ(served.post("/v1/translate", sampled).first, 200);
}

TEST_F(GlossariesTest, AListNamesThem) {
  const TestServer served = server();
  EXPECT_EQ(served.get("/v1/glossaries").second,
            json({{"glossaries",
                   {{{"name", "other"}, {"terms", 1}, {"source", "de"}, {"target", "en"}},
                    {{"name", "pets"}, {"terms", 1}},
                    {{"name", "pets"}, {"terms", 2}, {"source", "en"}, {"target", "de"}}}}}));
  const TestServer none;
  EXPECT_EQ(none.get("/v1/glossaries").second, json({{"glossaries", json::array()}}));
}

TEST_F(GlossariesTest, OnlyLanguageCodesInANameAreLanguages) {
  write("drugs.v2-final.tsv", "dog\tpille\n");
  EXPECT_EQ(translated(server(), "drugs.v2-final"), "A DOG pille");
}

TEST_F(GlossariesTest, AreReadAgain) {
  TestServer served = server();
  write("pets.en-de.tsv", "dog\tpudel\n");
  served.api().context().glossaries->reload();
  EXPECT_EQ(translated(served, "pets"), "A DOG pudel");
  write("pets.en-de.tsv", "dog\n");
  EXPECT_THAT([&] { served.api().context().glossaries->reload(); },
              testing::ThrowsMessage<DataError>(HasSubstr("pets.en-de.tsv:1: no tab")));
  EXPECT_EQ(translated(served, "pets"), "A DOG pudel");
}

TEST_F(GlossariesTest, AWrongDirectoryIsAnError) {
  EXPECT_THAT([&] { Glossaries(scratch() / "none"); },
              testing::ThrowsMessage<DataError>(HasSubstr("none: cannot be read")));
}

}  // namespace
}  // namespace dietmt::service
