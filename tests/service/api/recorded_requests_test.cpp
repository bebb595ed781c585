// Requests as published clients send them, and what these clients read in the answers.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/service/api/schema_check.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;

httplib::Params form_of(const json& fields) {
  httplib::Params params;
  for (const auto& [name, value] : fields.items()) params.emplace(name, value);
  return params;
}

httplib::MultipartFormDataItems parts_of(const json& fields) {
  httplib::MultipartFormDataItems parts;
  for (const auto& [name, value] : fields.items()) parts.push_back({name, value, "", ""});
  return parts;
}

httplib::Result answer_to(const json& request, const TestServer& server) {
  httplib::Client client = server.client();
  const std::string path = request["path"];
  httplib::Headers headers;
  const json fields = request.value("headers", json::object());
  for (const auto& [name, value] : fields.items()) headers.emplace(name, value);
  if (request["method"] == "GET") return client.Get(path, headers);
  if (request.contains("form")) return client.Post(path, headers, form_of(request["form"]));
  if (request.contains("multipart"))
    return client.Post(path, headers, parts_of(request["multipart"]));
  if (!request.contains("json")) return client.Post(path, headers, "", "");
  return client.Post(path, headers, request["json"].dump(), "application/json");
}

TEST(RecordedRequestsTest, ClientsFindInAnswersWhatTheyRead) {
  TestSettings settings;
  settings.specs = {{"en-de", "en", "de", "first"}, {"en-zh", "en", "zh_Hant", "second"}};
  const TestServer server(settings);
  std::ifstream file(DIETMT_RECORDED_REQUESTS);
  const json requests = json::parse(file);
  EXPECT_GE(requests.size(), 20U);
  for (const json& request : requests) {
    SCOPED_TRACE(request["client"].get<std::string>());
    const httplib::Result answer = answer_to(request, server);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, request.value("status", 200)) << answer->body;
    const json parts = request.value("holds", json::array());
    for (const json& part : parts)
      EXPECT_THAT(answer->body, testing::HasSubstr(part.get<std::string>()));
    if (!request.contains("schema")) continue;
    const json body = json::parse(answer->body, nullptr, false);
    EXPECT_THAT(SchemaCheck(json::object(), true).problems(body, request["schema"]),
                testing::IsEmpty())
        << answer->body;
  }
}

}  // namespace
}  // namespace dietmt::service
