// The server reads bodies only from clients with the right key.
#include <gmock/gmock.h>

#include "tests/common/scratch.h"
#include "tests/service/api/test_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

using testing::HasSubstr;

class UploadAdmissionTest : public ScratchTest {
 protected:
  TestSettings settings() {
    return {.api = {.api_keys = write("keys", "secret-of-a-test,somebody,0\n")},
            .extend = [this](TranslationApi& api) {
              Route upload = {"POST", "/v1/jobs", [this](const Call&) {
                                ++uploads_;
                                return Answer{.status = 201};
                              }};
              upload.is_upload = true;
              api.add(std::move(upload));
            }};
  }

  // Sends only the head of an upload, like a client that waits for `100 Continue`.
  static std::string head(const std::string& path, const std::string& fields = "") {
    return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n" + fields +
           "Expect: 100-continue\r\n\r\n";
  }

  std::atomic<int> uploads_ = 0;
};

TEST_F(UploadAdmissionTest, TheKeyIsCheckedBeforeTheBody) {
  const TestServer server(settings());
  for (const auto& [request, status] : {std::pair{head("/v1/jobs"), 401},
                                        {head("/v1/jobs", "X-API-Key: wrong\r\n"), 403},
                                        {head("/v1/translate"), 401},
                                        {head("/nothing"), 404},
                                        {head("/health"), 405}}) {
    TestClient client(server.port());
    const TestResponse response = client.ask(request);
    EXPECT_EQ(response.status, status) << request;
    EXPECT_EQ(response.field("Connection"), "close");
    EXPECT_EQ(response.field("X-Content-Type-Options"), "nosniff");
    EXPECT_TRUE(client.ended());
  }
  EXPECT_EQ(uploads_, 0);
  for (const std::string& request : {head("/v1/jobs", "Authorization: Bearer secret-of-a-test\r\n"),
                                     head("/v1/jobs?api_key=secret-of-a-test")}) {
    TestClient client(server.port());
    client.send(request);
    EXPECT_EQ(client.receive(1000), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(std::string(1000000, 'x'));
    EXPECT_EQ(client.response().status, 201);
  }
  EXPECT_EQ(uploads_, 2);
}

// LibreTranslate's clients send their key in the body, which may use memory but not the disk.
TEST_F(UploadAdmissionTest, ABodyWithItsOwnKeyStaysInMemory) {
  const TestServer server(settings());
  const auto ask = [&](size_t spaces) {
    const std::string body = "{\"q\": \"a\", \"source\": \"en\", \"target\": \"de\", " +
                             std::string(spaces, ' ') + "\"api_key\": \"secret-of-a-test\"}";
    return TestClient(server.port())
        .ask(post("/translate", body, "Content-Type: application/json\r\n"));
  };
  EXPECT_EQ(ask(1'000'000).status, 200);
  EXPECT_EQ(ask(1'100'000).status, 413);  // above the test server's limit
}

TEST_F(UploadAdmissionTest, ABodyOfOptionsWithoutAKeyStaysInMemory) {
  TestSettings small = settings();
  small.http.body_memory = 1000;
  const TestServer server(small);
  const auto ask = [&](size_t size) {
    return TestClient(server.port())
        .ask("OPTIONS /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
             "\r\n\r\n" + std::string(size, 'x'));
  };
  EXPECT_EQ(ask(500).status, 204);
  EXPECT_EQ(ask(5000).status, 401);
}

TEST_F(UploadAdmissionTest, ABodyThatNeedsTheDiskNeedsItsKeyInAHeader) {
  TestSettings small = settings();
  small.http.body_memory = 1000;
  const TestServer server(small);
  const std::string body =
      R"({"q": "a", "source": "en", "target": "de", "api_key": "secret-of-a-test")";
  const std::string large = body + std::string(2000, ' ') + "}";
  const std::string form =
      "--x\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\nsecret\r\n" +
      std::string(2000, ' ') + "\r\n--x--\r\n";
  const auto ask = [&](const std::string& path, const std::string& sent, const std::string& type,
                       const std::string& fields) {
    return TestClient(server.port())
        .ask(post(path, sent, "Content-Type: " + type + "\r\n" + fields));
  };
  constexpr char kJson[] = "application/json";
  constexpr char kForm[] = "multipart/form-data; boundary=x";
  constexpr char kKey[] = "X-API-Key: secret-of-a-test\r\n";
  EXPECT_EQ(ask("/translate", body + "}", kJson, "").status, 200);
  for (const TestResponse& refused :
       {ask("/translate", large, kJson, ""), ask("/v1/jobs", form, kForm, "")}) {
    EXPECT_EQ(refused.status, 401);
    EXPECT_THAT(refused.body, HasSubstr("needs its API key in a header"));
  }
  EXPECT_EQ(uploads_, 0);
  EXPECT_EQ(ask("/translate", large, kJson, kKey).status, 200);
  EXPECT_EQ(ask("/v1/jobs", form, kForm, kKey).status, 201);
}

TEST_F(UploadAdmissionTest, RefusalsAreMeasuredLikeOtherAnswers) {
  const TestServer server(settings());
  TestClient(server.port()).ask(head("/v1/jobs"));
  TestClient(server.port()).ask(head("/nothing"));
  const auto metrics = server.client().Get("/metrics");
  for (const char* line : {"dietmt_http_requests_total{endpoint=\"/v1/jobs\",status=\"401\"} 1\n",
                           "dietmt_http_requests_total{endpoint=\"other\",status=\"404\"} 1\n"})
    EXPECT_THAT(metrics->body, HasSubstr(line));
}

}  // namespace
}  // namespace dietmt::service
