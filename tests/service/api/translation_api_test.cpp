// Limits, keys and reloading from the client's side.
#include <gmock/gmock.h>

#include "tests/common/scratch.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;

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
      {.api = {.api_keys = write("keys",
                                 "secret-of-a-test,somebody,0\nroot-of-all-tests,operator,0,"
                                 "admin\nrare-in-all-tests,x,1\n")}});
  const json body = {{"q", "a"}, {"source", "en"}, {"target", "de"}};
  const json v1 = {{"text", "a"}, {"model", "en-de"}};
  json with_key = body;
  with_key["api_key"] = "secret-of-a-test";
  EXPECT_EQ(server.post("/translate", body).first, 401);
  EXPECT_EQ(server.post("/translate", with_key).first, 200);
  EXPECT_EQ(server.post("/v1/translate", v1).first, 401);
  for (const char* key :
       {"Bearer secret-of-a-test", "bearer secret-of-a-test", "BEARER  secret-of-a-test"})
    EXPECT_EQ(server.post("/v1/translate", v1, {{"Authorization", key}}).first, 200) << key;
  EXPECT_EQ(server.post("/v1/translate", v1, {{"X-API-Key", "secret-of-a-test"}}).first, 200);
  EXPECT_EQ(server.post("/v1/translate?api_key=secret-of-a-test", v1).first, 200);
  EXPECT_EQ(server.post("/v1/translate", v1, {{"X-API-Key", "wrong"}}).first, 403);
  EXPECT_EQ(server.get("/v1/jobs").first, 401);  // by any handler
  EXPECT_EQ(server.get("/languages").first, 200);
  EXPECT_EQ(server.get("/frontend/settings").second["keyRequired"], true);
  EXPECT_EQ(server.post("/v1/models/reload", {}, {{"X-API-Key", "secret-of-a-test"}}).first, 403);
  EXPECT_EQ(
      server.post("/v1/models/reload", json::object(), {{"X-API-Key", "root-of-all-tests"}}).first,
      200);
  EXPECT_EQ(server.post("/v1/models/reload", {{"api_key", "root-of-all-tests"}}).first, 200);
  json v1_with_key = v1;
  v1_with_key["api_key"] = "secret-of-a-test";
  EXPECT_EQ(server.post("/v1/translate", v1_with_key).first, 200);
  v1_with_key["api_key"] = "wrong";
  EXPECT_EQ(server.post("/v1/translate", v1_with_key).first, 403);

  EXPECT_EQ(server.get("/v1/models", {{"X-API-Key", "rare-in-all-tests"}}).first, 200);
  const auto refused = server.client().Get("/v1/models", {{"X-API-Key", "rare-in-all-tests"}});
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
    EXPECT_THAT(reload({{"Host", host + ":" + port}}), HasSubstr("403 unknown host"));
  for (const std::string origin : {"https://evil.example", "null", "http://localhost:1"})
    EXPECT_THAT(reload({{"Host", "localhost:" + port}, {"Origin", origin}}),
                HasSubstr("403 pages of \""));
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
