// Glossaries of DeepL's clients. The decoder writes terms after the sentence.
#include <gmock/gmock.h>

#include "service/jobs/job_queue.h"
#include "service/protocols/protocol_routes.h"
#include "tests/common/scratch.h"
#include "tests/service/api/schema_check.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Answered = std::pair<int, json>;

json without(json object, const char* name) {
  object.erase(name);
  return object;
}

std::string message_of(const Answered& answer) {
  return std::to_string(answer.first) + " " + answer.second.value("message", "none");
}

class DeeplGlossariesTest : public ScratchTest {
 protected:
  TestSettings settings(ClientGlossaries* made, ApiSettings api = {}) const {
    std::filesystem::create_directories(scratch() / "glossaries");
    std::ofstream(scratch() / "glossaries/office-terms.en-de.tsv") << "desk\ttisch\n";
    std::ofstream(scratch() / "glossaries/office-terms.de-en.tsv") << "tisch\tdesk\n";
    std::ofstream(scratch() / "glossaries/all.tsv") << "desk\ttafel\n";
    api.glossaries = std::make_shared<Glossaries>(scratch() / "glossaries");
    if (made != nullptr) api.glossaries->set_store(*made);
    TestSettings settings{.api = std::move(api)};
    settings.extend = [made](TranslationApi& added) {
      for (Route& route : protocol_routes(added.context())) added.add(std::move(route));
      for (Route& route : deepl_glossary_routes(added.context(), made)) added.add(std::move(route));
    };
    settings.specs = {{"en-de", "en", "de", "first"},
                      {"de-en", "de", "en", "second"},
                      {"en-pt", "en", "pt_BR", "third"}};
    return settings;
  }

  static Answered change(const TestServer& server, const char* method, const std::string& path,
                         const json& body = {}) {
    httplib::Request request;
    request.method = method;
    request.path = path;
    if (!body.is_null()) {
      request.body = body.dump();
      request.set_header("Content-Type", "application/json");
    }
    return TestServer::answer(server.client().send(request));
  }

  static json two_dictionaries() {
    return {{"name", "pets"},
            {"dictionaries",
             {{{"source_lang", "EN"},
               {"target_lang", "DE"},
               {"entries", "dog\thund\ncat\tkatze"},
               {"entries_format", "tsv"}},
              {{"source_lang", "en"},
               {"target_lang", "pt"},
               {"entries", "dog,\"cao, ou cachorro\"\ncat,gato,EN,PT\n"},
               {"entries_format", "csv"}}}}};
  }

  // The answer has the documented form.
  static void expect_form(const json& answer, const char* schema) {
    const json document = json::parse(merged_openapi(openapi_parts()));
    const json form = {{"$ref", std::string("#/components/schemas/") + schema}};
    EXPECT_THAT(SchemaCheck(document).problems(answer, form), testing::IsEmpty()) << answer;
  }

  JobQueue queue_{open_job_database("", scratch())};
  ClientGlossaries made_{queue_.database()};
};

TEST_F(DeeplGlossariesTest, Version2HasOneDictionary) {
  const TestServer server(settings(&made_));
  const json request = {{"name", "pets"},
                        {"source_lang", "EN"},
                        {"target_lang", "DE"},
                        {"entries", "dog\thund\r\n\n#1\teins\n"},
                        {"entries_format", "tsv"}};
  const auto [status, made] = server.post("/v2/glossaries", request);
  ASSERT_EQ(status, 201) << made;
  expect_form(made, "DeeplGlossary");
  EXPECT_EQ(without(without(made, "glossary_id"), "creation_time"), json({{"name", "pets"},
                                                                          {"ready", true},
                                                                          {"source_lang", "en"},
                                                                          {"target_lang", "de"},
                                                                          {"entry_count", 2}}));
  const std::string path = "/v2/glossaries/" + made["glossary_id"].get<std::string>();
  EXPECT_EQ(server.get(path).second, made);
  const json list = server.get("/v2/glossaries").second;
  expect_form(list, "DeeplGlossariesAnswer");
  EXPECT_EQ(list["glossaries"].back(), made);
  const auto entries = server.client().Get(path + "/entries");
  EXPECT_EQ(entries->body, "dog\thund\n#1\teins");
  EXPECT_THAT(entries->get_header_value("Content-Type"), HasSubstr("text/tab-separated-values"));
  const httplib::Params form = {{"name", "form"},
                                {"source_lang", "en"},
                                {"target_lang", "de"},
                                {"entries", "a\tb"},
                                {"entries_format", "tsv"}};
  EXPECT_EQ(server.client().Post("/v2/glossaries", form)->status, 201);
  EXPECT_EQ(server.client().Delete(path)->status, 204);
  EXPECT_EQ(server.client().Delete(path)->status, 404);
  EXPECT_THAT(message_of(server.get(path + "/entries")), HasSubstr("404 Glossary not found"));
}

TEST_F(DeeplGlossariesTest, Version3HasSeveral) {
  const TestServer server(settings(&made_));
  const auto [status, made] = server.post("/v3/glossaries", two_dictionaries());
  ASSERT_EQ(status, 201) << made;
  expect_form(made, "DeeplGlossaryV3");
  const std::string path = "/v3/glossaries/" + made["glossary_id"].get<std::string>();
  EXPECT_EQ(server.get(path).second, made);
  EXPECT_THAT(message_of(server.get("/v2" + path.substr(3))), HasSubstr("404 Glossary not found"));
  const std::string pair = "?source_lang=EN&target_lang=PT";
  const json entries = server.get(path + "/entries" + pair).second;
  expect_form(entries, "DeeplEntriesAnswer");
  EXPECT_EQ(entries["dictionaries"][0]["entries"], "dog\tcao, ou cachorro\ncat\tgato");
  const json more = {{"name", "animals"},
                     {"dictionaries",
                      {{{"source_lang", "en"},
                        {"target_lang", "de"},
                        {"entries", "dog\tdackel\nbird\tvogel"},
                        {"entries_format", "tsv"}}}}};
  const auto [changed, info] = change(server, "PATCH", path, more);
  EXPECT_EQ(changed, 200) << info;
  EXPECT_EQ(info["name"], "animals");
  EXPECT_EQ(info["dictionaries"][0]["entry_count"], 3);
  const auto [replaced, dictionary] =
      change(server, "PUT", path + "/dictionaries", more["dictionaries"][0]);
  EXPECT_EQ(replaced, 200);
  EXPECT_EQ(dictionary, json({{"source_lang", "en"}, {"target_lang", "de"}, {"entry_count", 2}}));
  EXPECT_EQ(change(server, "DELETE", path + "/dictionaries" + pair).first, 204);
  EXPECT_EQ(message_of(server.get(path + "/entries" + pair)).substr(0, 24),
            "404 Dictionary not found");
  EXPECT_EQ(server.client().Delete(path)->status, 204);
  expect_form(server.get("/v3/glossaries").second, "DeeplGlossariesV3Answer");
}

TEST_F(DeeplGlossariesTest, TextsAreTranslatedWithThem) {
  const TestServer server(settings(&made_));
  const std::string id = server.post("/v3/glossaries", two_dictionaries()).second["glossary_id"];
  json request = {
      {"text", "a dog"}, {"source_lang", "EN"}, {"target_lang", "PT-BR"}, {"glossary_id", id}};
  const auto translated = [&] {
    const Answered answer = server.post("/v2/translate", request);
    return answer.first == 200 ? answer.second["translations"][0]["text"].get<std::string>()
                               : message_of(answer);
  };
  EXPECT_EQ(translated(), "A DOG cao, ou cachorro");
  request["target_lang"] = "DE";
  EXPECT_EQ(translated(), "A DOG hund");
  request = {{"text", "dog"}, {"source_lang", "EN"}, {"target_lang", "DE"}, {"glossary_ids", {id}}};
  EXPECT_EQ(translated(), "DOG hund");
  request["glossary_ids"] = {id, id};
  EXPECT_THAT(translated(), HasSubstr("400 this server translates with one glossary"));
  request = {{"text", "dog"}, {"target_lang", "DE"}, {"glossary_id", id}};
  EXPECT_THAT(translated(), HasSubstr("400 Use of a glossary requires the source_lang"));
  request = {{"text", "x"}, {"source_lang", "DE"}, {"target_lang", "EN"}, {"glossary_id", id}};
  EXPECT_EQ(translated(), "400 glossary '" + id + "' is not for de-en");
  request["glossary_id"] = "0123456789abcdef0123456789abcdef";
  EXPECT_THAT(translated(), HasSubstr("404 Glossary not found"));
  // In the server's own protocol too.
  const json own = {{"text", "dog"}, {"model", "en-de"}, {"glossary", id}};
  EXPECT_EQ(server.post("/v1/translate", own).second["results"][0]["text"], "DOG hund");
  EXPECT_EQ(server.get("/v1/glossaries").second["glossaries"].back()["id"], id);
}

TEST_F(DeeplGlossariesTest, AnotherKeyGets404) {
  const TestServer server(settings(
      &made_, {.api_keys = write("keys", "key-of-the-first,one,0\nkey-of-the-second,two,0\n")}));
  const httplib::Headers one = {{"Authorization", "DeepL-Auth-Key key-of-the-first"}};
  const httplib::Headers two = {{"Authorization", "DeepL-Auth-Key key-of-the-second"}};
  const std::string id =
      server.post("/v3/glossaries", two_dictionaries(), one).second["glossary_id"];
  EXPECT_EQ(server.get("/v3/glossaries/" + id, one).first, 200);
  EXPECT_EQ(server.get("/v3/glossaries/" + id, two).first, 404);
  const json request = {
      {"text", "dog"}, {"source_lang", "EN"}, {"target_lang", "DE"}, {"glossary_id", id}};
  EXPECT_EQ(server.post("/v2/translate", request, one).first, 200);
  EXPECT_EQ(server.post("/v2/translate", request, two).first, 404);
  EXPECT_EQ(server.get("/v3/glossaries", one).second["glossaries"].size(), 3U);
  EXPECT_EQ(server.get("/v3/glossaries", two).second["glossaries"].size(), 2U);
}

TEST_F(DeeplGlossariesTest, ErrorsNameTheField) {
  const TestServer server(settings(&made_));
  const auto refused = [&](const char* field, const json& value) {
    json request = {{"name", "x"},
                    {"source_lang", "en"},
                    {"target_lang", "de"},
                    {"entries", "a\tb"},
                    {"entries_format", "tsv"}};
    request[field] = value;
    return message_of(server.post("/v2/glossaries", request));
  };
  EXPECT_EQ(refused("name", ""), "400 name is empty");
  EXPECT_EQ(refused("name", std::string(1025, 'x')), "400 name is longer than 1024 bytes");
  EXPECT_EQ(refused("name", "a\nb"), "400 name has a control character");
  EXPECT_THAT(refused("target_lang", "xx"), HasSubstr("xx is not supported"));
  EXPECT_EQ(refused("target_lang", "en"), "400 source_lang and target_lang are one language");
  EXPECT_EQ(refused("source_lang", std::string("e\0", 2)),
            "400 source_lang is not a language code");
  EXPECT_EQ(refused("entries_format", "xml"), "400 entries_format must be tsv or csv");
  EXPECT_EQ(refused("entries", "\n"), "400 entries has no term");
  EXPECT_THAT(refused("entries", "a\tb\nc"), HasSubstr("400 entries:2: no tab"));
  EXPECT_THAT(refused("entries", "a\tb\nA b\tc\na\tc"),
              HasSubstr("400 entries:3: \"a\" is already in line 1"));
  json request = two_dictionaries();
  request["dictionaries"][1]["entries"] = "dog,cao,en,de";
  EXPECT_EQ(message_of(server.post("/v3/glossaries", request)),
            "400 entries:1: the row is not for en-pt");
  request["dictionaries"][1]["entries"] = "dog";
  EXPECT_THAT(message_of(server.post("/v3/glossaries", request)), HasSubstr("entries:1: 1 cells"));
  request["dictionaries"][1] = request["dictionaries"][0];
  EXPECT_EQ(message_of(server.post("/v3/glossaries", request)), "400 dictionaries has en-de twice");
  request["dictionaries"] = "en-de";
  EXPECT_EQ(message_of(server.post("/v3/glossaries", request)),
            "400 dictionaries must be a list of objects");
}

TEST_F(DeeplGlossariesTest, WithoutADatabaseThoseOfTheServerCanBeRead) {
  const TestServer server(settings(nullptr));
  EXPECT_EQ(message_of(server.post("/v3/glossaries", two_dictionaries())),
            "400 this server keeps no glossaries of clients; start it with --data or --queue");
  const json list = server.get("/v3/glossaries").second["glossaries"];
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1]["name"], "office-terms");
  EXPECT_EQ(list[1]["dictionaries"].size(), 2U);
  const json single = server.get("/v2/glossaries/all").second;
  EXPECT_EQ(single["source_lang"], "");
  EXPECT_EQ(server.client().Get("/v2/glossaries/all/entries")->body, "desk\ttafel");
  const std::string path = "/v3/glossaries/office-terms";
  EXPECT_EQ(server.get(path + "/entries?source_lang=EN&target_lang=DE")
                .second["dictionaries"][0]["entries"],
            "desk\ttisch");
  EXPECT_EQ(server.get(path + "/entries?source_lang=EN&target_lang=PT").first, 404);
  EXPECT_EQ(server.get("/v3/glossaries/none").first, 404);
  EXPECT_EQ(message_of(change(server, "DELETE", path)),
            "403 the glossary 'office-terms' is the server's; clients cannot change it");
}

}  // namespace
}  // namespace dietmt::service
