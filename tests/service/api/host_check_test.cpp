// A server without API keys refuses foreign hosts and pages on every route.
#include "service/api/host_check.h"

#include <gmock/gmock.h>

#include "service/page/page.h"
#include "tests/common/scratch.h"
#include "tests/service/api/test_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

using testing::HasSubstr;

TEST(HostCheckTest, OnlyNamesThatNobodyCanRebindAreKnown) {
  const HostCheck check({"mt.example"}, CorsPolicy({}));
  const auto knows = [&](const std::string& host) {
    try {
      check.check({.method = "GET", .target = "/", .fields = {{"Host", host}}});
      return true;
    } catch (const HttpError& error) {
      return error.status() != 403;
    }
  };
  for (const char* host : {"", "localhost", "LOCALHOST:80", "127.0.0.1:5000", "[::1]", "[::1]:80",
                           "192.0.2.1", "[2001:db8::1]:80", "mt.example", "MT.example:443"})
    EXPECT_TRUE(knows(host)) << host;
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80",
                           "evil.mt.example", "2130706433", "127.1", "[evil", "[::1].evil", "."})
    EXPECT_FALSE(knows(host)) << host;
  EXPECT_NO_THROW(HostCheck({"*"}, CorsPolicy({})).check({.method = "GET", .target = "/"}));
}

class HostTest : public ScratchTest {
 protected:
  static TestSettings with_page(ApiSettings api) {
    return {.api = std::move(api), .extend = [](TranslationApi& all) {
              for (Route& route : page_routes()) all.add(std::move(route));
              all.add({"DELETE", "/v1/jobs/{id}", [](const Call&) { return Answer{}; }});
            }};
  }

  static TestResponse ask(const TestServer& server, const std::string& method,
                          const std::string& path, const std::string& fields) {
    const std::string body = method == "POST" ? "{}" : "";
    return TestClient(server.port())
        .ask(method + " " + path + " HTTP/1.1\r\n" + fields +
             "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
             "\r\n\r\n" + body);
  }
};

TEST_F(HostTest, EveryRouteOfAServerWithoutKeysIsGuarded) {
  TestServer server(with_page({}));
  ASSERT_GT(server.api().routes().size(), 15U);
  for (const Route& route : server.api().routes()) {
    const size_t part = route.path.find('{');
    const std::string path = route.path.substr(0, part) + (part == route.path.npos ? "" : "x");
    SCOPED_TRACE(route.method + " " + path);
    const TestResponse host = ask(server, route.method, path, "Host: evil.example:80\r\n");
    EXPECT_EQ(host.status, 403);
    EXPECT_THAT(host.body, HasSubstr("unknown host \\\"evil.example:80\\\""));
    const TestResponse page =
        ask(server, route.method, path, "Host: localhost\r\nOrigin: https://evil.example\r\n");
    EXPECT_EQ(page.status, 403);
    EXPECT_THAT(page.body, HasSubstr("https://evil.example"));
    EXPECT_THAT(page.body, HasSubstr("--cors-origin"));
    const TestResponse own = ask(server, route.method, path,
                                 "Host: localhost:5000\r\nOrigin: http://localhost:5000\r\n");
    EXPECT_NE(own.status, 0);
    if (own.status != 403) continue;  // /suggest is always refused
    EXPECT_THAT(own.body, testing::Not(HasSubstr("unknown host")));
    EXPECT_THAT(own.body, testing::Not(HasSubstr("--cors-origin")));
  }
  EXPECT_EQ(ask(server, "OPTIONS", "/translate", "Host: evil.example\r\n").status, 403);
  EXPECT_EQ(ask(server, "GET", "/nothing", "Host: evil.example\r\n").status, 403);
}

TEST_F(HostTest, TheOperatorMayAllowNamesAndPages) {
  const TestServer server(
      with_page({.cors_origins = {"https://site.example"}, .allowed_hosts = {"mt.example"}}));
  EXPECT_EQ(ask(server, "GET", "/languages", "Host: mt.example\r\n").status, 200);
  EXPECT_EQ(ask(server, "GET", "/languages", "Host: mt.example\r\nOrigin: https://site.example\r\n")
                .status,
            200);
  EXPECT_EQ(ask(server, "POST", "/v1/models/reload", "Host: mt.example\r\n").status, 403);
  EXPECT_EQ(ask(server, "POST", "/v1/models/reload",
                "Host: localhost\r\nOrigin: https://site.example\r\n")
                .status,
            403);
}

TEST_F(HostTest, WithKeysTheKeyDecides) {
  const TestServer server(with_page({.api_keys = write("keys", "0123456789abcdef,somebody,0\n")}));
  const std::string foreign = "Host: mt.example\r\nOrigin: https://site.example\r\n";
  EXPECT_EQ(ask(server, "GET", "/languages", foreign).status, 200);
  EXPECT_EQ(ask(server, "GET", "/v1/models", foreign).status, 401);
  EXPECT_EQ(ask(server, "GET", "/v1/models", foreign + "X-API-Key: 0123456789abcdef\r\n").status,
            200);
}

TEST(CorsOriginTest, IsWrittenAsBrowsersWriteIt) {
  for (const char* origin : {"*", "https://a.example", "http://localhost:8080", "http://[::1]:80",
                             "chrome-extension://abcdef"})
    EXPECT_TRUE(CorsPolicy::is_origin(origin)) << origin;
  for (const char* origin : {"", "a.example", "https://a.example/", "https://A.example", "null",
                             "https://", "https://*.example", "https://a.example:", "**",
                             "https://a.example:123456", "https://u@a.example", "https://a b"})
    EXPECT_FALSE(CorsPolicy::is_origin(origin)) << origin;
}

}  // namespace
}  // namespace dietmt::service
