// The OpenAPI document matches the service.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "service/api/fields.h"
#include "service/api/translation_api.h"
#include "tests/common/scratch.h"
#include "tests/service/api/schema_check.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;

// What a server without batch jobs and page describes.
json own_document() {
  json document = json::parse(openapi_of(LanguagePairs({}), {}));
  const json own = json::parse(openapi_parts().front());
  document["paths"] = own["paths"];
  return document;
}

class OpenApiTest : public ScratchTest {
 protected:
  // An answer must be documented for its route and status, with the documented content and headers.
  void expect_documented(const std::string& method, const std::string& path,
                         const httplib::Result& result, int status) {
    SCOPED_TRACE(method + " " + path + " " + std::to_string(status));
    ASSERT_TRUE(result);
    ASSERT_EQ(result->status, status) << result->body;
    const json& responses = document_["paths"][path][method]["responses"];
    ASSERT_TRUE(responses.contains(std::to_string(status)));
    json response = responses[std::to_string(status)];
    if (response.contains("$ref"))
      response = document_.at(json::json_pointer(response["$ref"].get<std::string>().substr(1)));
    const json headers = response.value("headers", json::object());
    for (const auto& [name, schema] : headers.items())
      EXPECT_TRUE(result->has_header(name)) << name;
    const std::string type = result->get_header_value("Content-Type");
    const std::string media = type.substr(0, type.find(';'));
    ASSERT_TRUE(response["content"].contains(media)) << type;
    seen_.insert(method + " " + path + " " + std::to_string(status));
    if (media != "application/json") return;
    SchemaCheck schema(document_);
    EXPECT_THAT(schema.problems(json::parse(result->body), response["content"][media]["schema"]),
                testing::IsEmpty());
  }

  httplib::Result post(const TestServer& server, const std::string& path, const json& body,
                       const httplib::Headers& headers = {}) {
    return server.client().Post(path, headers, body.dump(), "application/json");
  }

  // How every POST route handles bad bodies and keys.
  void check_common(const std::string& path, const json& good) {
    using namespace std::string_literals;
    const TestServer open({.api = {.limits = {.body_bytes = 300}}});
    expect_documented("post", path, open.client().Post(path, "{", "application/json"), 400);
    expect_documented("post", path, open.client().Post(path, "<a/>", "text/xml"), 415);
    expect_documented("post", path,
                      open.client().Post(path, std::string(400, ' '), "application/json"), 413);
    const TestServer closed({.api = {.api_keys = write("keys", "only-once-a-minute,x,1\n")}});
    expect_documented("post", path, post(closed, path, good), 401);
    expect_documented("post", path, post(closed, path, good, {{"X-API-Key", "no"}}), 403);
    post(closed, path, good, {{"X-API-Key", "only-once-a-minute"}});
    expect_documented("post", path, post(closed, path, good, {{"X-API-Key", "only-once-a-minute"}}),
                      429);
  }

  // Additional checks of both translating routes.
  void check_translating(const std::string& path, const json& good, json poisoned) {
    const TestServer server({.api = {.limits = {.deadline = std::chrono::milliseconds(1000)}},
                             .step = std::chrono::milliseconds(20)});
    expect_documented("post", path, post(server, path, good), 200);
    poisoned[path == "/translate" ? "q" : "text"] =
        text_of(std::vector<int32_t>{FakeDecoder::kPoison});
    expect_documented("post", path, post(server, path, poisoned), 500);
    poisoned[path == "/translate" ? "q" : "text"] = std::string(150, 'x');
    expect_documented("post", path, post(server, path, poisoned), 504);
    TestServer draining;
    draining.api().drain();
    expect_documented("post", path, post(draining, path, good), 503);
    for (const char* probe : {"/health", "/ready"})
      expect_documented("get", probe, draining.client().Get(probe), 503);
  }

  static httplib::Result post_file(const TestServer& server, const std::string& text,
                                   const httplib::Headers& headers = {}) {
    const httplib::MultipartFormDataItems form = {
        {"file", text, "a.txt", ""}, {"source", "en", "", ""}, {"target", "de", "", ""}};
    return server.client().Post("/translate_file", headers, form);
  }

  void check_files() {
    const std::string path = "/translate_file";
    const TestServer server({.api = {.limits = {.deadline = std::chrono::milliseconds(1000)}},
                             .step = std::chrono::milliseconds(20)});
    const auto answer = post_file(server, "a. b");
    expect_documented("post", path, answer, 200);
    const std::string url = json::parse(answer->body).at("translatedFileUrl");
    const auto file = server.client().Get(url.substr(url.find("/download_file")));
    EXPECT_EQ(file->body, "A. B");
    seen_.insert("get /download_file/{name} 200");
    expect_documented("get", "/download_file/{name}", server.client().Get("/download_file/no.txt"),
                      404);
    expect_documented("post", path, post_file(server, std::string("\0", 1)), 400);
    expect_documented("post", path, server.client().Post(path, "<a/>", "text/xml"), 415);
    expect_documented("post", path,
                      post_file(server, text_of(std::vector<int32_t>{FakeDecoder::kPoison}) + "a"),
                      500);
    expect_documented("post", path, post_file(server, std::string(150, 'x')), 504);
    const TestServer small({.api = {.limits = {.characters = 3}}});
    expect_documented("post", path, post_file(small, "abcd"), 413);
    TestServer draining;
    draining.api().drain();
    expect_documented("post", path, post_file(draining, "a"), 503);
    const TestServer closed({.api = {.api_keys = write("keys", "only-once-a-minute,x,1\n")}});
    expect_documented("post", path, post_file(closed, "a"), 401);
    expect_documented("post", path, post_file(closed, "a", {{"X-API-Key", "no"}}), 403);
    post_file(closed, "a", {{"X-API-Key", "only-once-a-minute"}});
    expect_documented("post", path, post_file(closed, "a", {{"X-API-Key", "only-once-a-minute"}}),
                      429);
  }

  const json document_ = own_document();
  std::set<std::string> seen_;
};

TEST_F(OpenApiTest, EveryRouteIsDocumentedAndNoOther) {
  TestServer server;
  std::set<std::string> routes, documented;
  for (const Route& route : server.api().routes())
    routes.insert((route.method == "GET" ? "get " : "post ") + route.path);
  for (const auto& [path, methods] : document_["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) documented.insert(method + " " + path);
  }
  EXPECT_EQ(routes, documented);
}

TEST_F(OpenApiTest, EveryDocumentedAnswerIsGivenAsDocumented) {
  const TestServer server;
  const json libre = {{"q", {"a. b", "c"}},
                      {"source", "auto"},
                      {"target", "de"},
                      {"alternatives", 1},
                      {"glossary", {{"a", "x"}, {"b", "#"}}}};
  const json v1 = {{"text", "a. b"},
                   {"model", "en-de"},
                   {"nbest", 2},
                   {"token_scores", true},
                   {"glossary", {{"a", "x"}, {"b", "#"}}}};
  check_common("/translate", libre);
  check_translating("/translate", libre, {{"q", ""}, {"source", "en"}, {"target", "de"}});
  check_common("/v1/translate", v1);
  check_translating("/v1/translate", v1, {{"text", ""}, {"model", "en-de"}});
  check_common("/detect", {{"q", "Где?"}});
  expect_documented("post", "/detect", post(server, "/detect", {{"q", "Где?"}}), 200);
  const json suggestion = {{"q", "a"}, {"s", "b"}, {"source", "en"}, {"target", "de"}};
  check_common("/suggest", suggestion);
  expect_documented("post", "/suggest", post(server, "/suggest", suggestion), 403);
  check_files();
  check_common("/v1/models/reload", json::object());
  post(server, "/v1/translate", v1);
  expect_documented("post", "/v1/models/reload", post(server, "/v1/models/reload", json::object()),
                    200);
  const TestServer unreadable(
      {.loader = [](const ModelSpec&) -> nmt::LoadedDecoder { throw Error("no file"); }});
  post(unreadable, "/v1/translate", v1);
  expect_documented("post", "/v1/models/reload",
                    post(unreadable, "/v1/models/reload", json::object()), 503);
  for (const std::string path : {"/v1/models", "/v1/glossaries"}) {
    const TestServer closed({.api = {.api_keys = write("keys", "only-once-a-minute,x,1\n")}});
    expect_documented("get", path, closed.client().Get(path), 401);
    expect_documented("get", path, closed.client().Get(path + "?api_key=no"), 403);
    closed.client().Get(path + "?api_key=only-once-a-minute");
    expect_documented("get", path, closed.client().Get(path + "?api_key=only-once-a-minute"), 429);
  }
  write("terms.en-de.tsv", "a\tb\n");
  const TestServer with_glossaries(
      {.api = {.glossaries = std::make_shared<Glossaries>(scratch())}});
  expect_documented("get", "/v1/glossaries", with_glossaries.client().Get("/v1/glossaries"), 200);
  for (const char* path : {"/languages", "/frontend/settings", "/health", "/live", "/ready",
                           "/metrics", "/openapi.json", "/spec", "/v1/models"})
    expect_documented("get", path, server.client().Get(path), 200);

  std::set<std::string> documented;
  for (const auto& [path, methods] : document_["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      for (const auto& [status, response] : operation["responses"].items())
        documented.insert(method + " " + path + " " + status);
    }
  }
  EXPECT_EQ(seen_, documented);
}

TEST_F(OpenApiTest, EveryRouteThatNeedsAKeySaysHowItIsRefused) {
  const json merged = json::parse(merged_openapi(openapi_parts()));
  const std::set<std::string> methods = {"get", "post", "delete"};
  size_t checked = 0;
  for (const auto& [path, item] : merged["paths"].items()) {
    for (const auto& [method, operation] : item.items()) {
      if (!methods.contains(method) || operation.value("security", json({1})).empty()) continue;
      const json& responses = operation["responses"];
      for (const char* status : {"401", "403", "429"})
        EXPECT_TRUE(responses.contains(status) || responses.contains("default"))
            << method << " " << path << status;
      ++checked;
    }
  }
  EXPECT_GE(checked, 10U);
}

TEST_F(OpenApiTest, TheDecodingOptionsAreThoseOfTheDocument) {
  const json schema = document_["components"]["schemas"]["V1TranslateRequest"]["properties"];
  size_t options = 0;
  for (const nmt::SearchOption& option : nmt::search_option_table()) {
    const bool is_of_server = option.group == nmt::SearchOption::Group::kMachine;
    EXPECT_NE(schema.contains(option.name), is_of_server) << option.name;
    options += schema.contains(option.name) ? 1 : 0;
  }
  EXPECT_EQ(options, 20U);
  const TestServer server;
  for (const auto& [name, property] : schema.items()) {
    if (name == "text" || name == "model") continue;
    const json value = name == "source"        ? json("en")
                       : name == "target"      ? json("de")
                       : name == "api_key"     ? json("key")
                       : name == "prefix"      ? json("")
                       : name == "glossary"    ? json{{"a", "b"}}
                       : name == "deadline_ms" ? json(1000)
                                               : property["default"];
    const auto [status, body] =
        server.post("/v1/translate", {{"text", "a"}, {"model", "en-de"}, {name, value}});
    EXPECT_EQ(status, 200) << name << ": " << body;
  }
}

// The range of a number in its schema: values at its ends and just outside.
struct NumberRange {
  std::vector<json> inside, outside;
};

NumberRange range_of(const json& schema) {
  const bool is_integer = schema["type"].dump().find("integer") != std::string::npos;
  NumberRange range;
  if (schema.contains("exclusiveMinimum")) {
    range.outside = {schema["exclusiveMinimum"]};
  } else {
    range.inside = {schema.at("minimum")};
    range.outside = {is_integer ? json(schema["minimum"].get<int64_t>() - 1)
                                : json(schema["minimum"].get<double>() - 1e-4)};
  }
  const json most = schema.at("maximum");
  range.inside.push_back(most);
  range.outside.push_back(is_integer ? json(most.get<uint64_t>() + 1)
                                     : json(most.get<double>() + 1e-4));
  return range;
}

TEST_F(OpenApiTest, NumbersHaveTheLimitsOfTheDocument) {
  const TestServer server;
  const json schemas = server.get("/openapi.json").second["components"]["schemas"];
  const json beam = {{"beam", 32}};
  const json sampling = {{"sample", true}};
  const std::map<std::string, json> needs = {
      {"nbest", beam},
      {"diverse_groups", beam},
      {"diversity_strength", {{"beam", 4}, {"diverse_groups", 2}}},
      {"top_k", sampling},
      {"top_p", sampling},
      {"epsilon", sampling},
      {"temperature", sampling}};
  int numbers = 0;
  for (const auto& [name, schema] : schemas["V1TranslateRequest"]["properties"].items()) {
    const std::string type = schema.value("type", json()).dump();
    if (type.find("integer") == type.npos && type.find("number") == type.npos) continue;
    ++numbers;
    json request = {{"text", "a"}, {"model", "en-de"}};
    if (needs.contains(name)) request.update(needs.at(name));
    const NumberRange range = range_of(schema);
    for (const json& value : range.inside) {
      request[name] = value;
      EXPECT_NE(server.post("/v1/translate", request).first, 400) << name << " " << value;
    }
    for (const json& value : range.outside) {
      request[name] = value;
      const auto [status, body] = server.post("/v1/translate", request);
      EXPECT_EQ(status, 400) << name << " " << value;
      EXPECT_EQ(body.value("option", ""), name) << body;
    }
  }
  EXPECT_GE(numbers, 17);
}

TEST_F(OpenApiTest, AServerWithoutBatchJobsSaysSo) {
  const std::string reason = "404 this server has no batch jobs; start it with --data or --queue";
  const TestServer server;
  const json paths = server.get("/openapi.json").second["paths"];
  for (const std::string path : {"/v1/jobs", "/v1/jobs/{id}", "/v1/jobs/{id}/result"}) {
    for (const auto& [method, operation] : paths[path].items())
      EXPECT_TRUE(method == "parameters" || operation["responses"].contains("404"))
          << method << " " << path;
  }
  EXPECT_EQ(error_of(server.post("/v1/jobs", json::object())), reason);
  EXPECT_EQ(error_of(TestServer::answer(server.client().Delete("/v1/jobs/1a"))), reason);
  for (const char* path : {"/v1/jobs", "/v1/jobs/1a", "/v1/jobs/1a/result"})
    EXPECT_EQ(error_of(server.get(path)), reason) << path;
  EXPECT_EQ(error_of(server.get("/v1/jobsheet")), "404 there is no such path");
  const TestServer with_jobs({.api = {.job_extensions = {".txt"}}});
  EXPECT_EQ(error_of(with_jobs.get("/v1/jobs/no:id")), "404 there is no such path");
}

TEST_F(OpenApiTest, NullStandsForAMissingFieldWhereTheDocumentSaysSo) {
  const TestServer server;
  const auto check = [&](const std::string& path, const json& schema, const json& request) {
    for (const auto& [name, property] : schema["properties"].items()) {
      json with_null = request;
      with_null[name] = nullptr;
      const bool is_allowed = SchemaCheck(document_).problems(with_null, schema).empty();
      EXPECT_EQ(server.post(path, with_null).first, is_allowed ? 200 : 400) << path << " " << name;
    }
  };
  const json& schemas = document_["components"]["schemas"];
  check("/translate", schemas["TranslateRequest"],
        {{"q", "a"}, {"source", "en"}, {"target", "de"}});
  check("/detect", schemas["DetectRequest"], {{"q", "a"}});
  check("/v1/translate", schemas["V1TranslateRequest"],
        {{"text", "a"}, {"model", "en-de"}, {"source", "en"}, {"target", "de"}});
}

TEST_F(OpenApiTest, AServerDescribesItsLanguagesModelsAndLimits) {
  const TestServer server({.api = {.limits = {.beam = 7}}});
  const json schemas = server.get("/openapi.json").second["components"]["schemas"];
  EXPECT_EQ(schemas["SourceLanguage"]["enum"], json({"en", "de", "ru"}));
  EXPECT_EQ(schemas["TargetLanguage"]["enum"], json({"de", "en"}));
  EXPECT_EQ(schemas["ModelName"]["enum"], json({"en-de", "de-en", "ru-en"}));
  EXPECT_EQ(schemas["ModelPath"]["enum"],
            json({"en-de", "en-de+de-en", "de-en", "de-en+en-de", "ru-en", "ru-en+en-de"}));
  EXPECT_EQ(schemas["TranslateRequest"]["properties"]["alternatives"]["description"],
            "Number of alternative translations; more than 6 give this many");
  EXPECT_EQ(schemas["V1TranslateRequest"]["properties"]["beam"]["maximum"], 7);
  const TestServer small({.api = {.limits = {.beam = 3}}});
  const json beam =
      small.get("/openapi.json")
          .second["components"]["schemas"]["V1TranslateRequest"]["properties"]["beam"];
  EXPECT_EQ(beam["default"], 3);
}

TEST_F(OpenApiTest, PartsOfOtherFoldersAreMerged) {
  const std::string own(openapi_parts().front());
  const std::string jobs = R"({"paths": {"/v1/jobs": {"get": {}}}, "tags": [{"name": "jobs"}],
                               "components": {"schemas": {"Job": {"type": "object"}}}})";
  const json merged = json::parse(merged_openapi({own, jobs}));
  EXPECT_EQ(merged["openapi"], "3.1.0");
  EXPECT_TRUE(merged["paths"].contains("/v1/jobs"));
  EXPECT_TRUE(merged["paths"].contains("/translate"));
  EXPECT_TRUE(merged["components"]["schemas"].contains("Job"));
  EXPECT_TRUE(merged["components"]["schemas"].contains("Error"));
  EXPECT_THROW(merged_openapi({own, R"({"paths": {"/health": {}}})"}), Error);
  EXPECT_THROW(merged_openapi({own, "{"}), Error);
}

}  // namespace
}  // namespace dietmt::service
