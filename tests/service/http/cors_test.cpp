// Pages of allowed sites can read the connection layer's own answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/http/message.h"
#include "tests/service/gate.h"
#include "tests/service/http/echo_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const std::string kOrigin = "Origin: https://a.example\r\n";

HttpOptions options() {
  HttpOptions options;
  options.cors_origins = {"https://a.example", "https://b.example"};
  options.head_timeout = std::chrono::milliseconds(300);
  options.transfer_period = std::chrono::milliseconds(300);
  options.handler_threads = 1;
  options.backlog = 0;
  return options;
}

void expect_readable(const TestResponse& response, int status) {
  EXPECT_EQ(response.status, status);
  EXPECT_EQ(response.field("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(response.field("Vary"), "Origin");
}

TEST(CorsPolicyTest, OriginsAreAllowedByNameOrAll) {
  const auto exposed =
      Pair("Access-Control-Expose-Headers", "Retry-After, X-Request-ID, X-Segments, X-Left-Out");
  const CorsPolicy named({"https://a.example"});
  EXPECT_THAT(named.fields("https://a.example"),
              ElementsAre(Pair("Vary", "Origin"),
                          Pair("Access-Control-Allow-Origin", "https://a.example"), exposed));
  EXPECT_THAT(named.fields("https://b.example"), ElementsAre(Pair("Vary", "Origin")));
  EXPECT_THAT(named.fields(""), ElementsAre(Pair("Vary", "Origin")));
  EXPECT_THAT(CorsPolicy({"*"}).fields(""),
              ElementsAre(Pair("Access-Control-Allow-Origin", "*"), exposed));
  EXPECT_THAT(CorsPolicy({}).fields("https://a.example"), IsEmpty());
}

TEST(CorsTest, AllowedPagesCanReadFaultsOfTheHead) {
  EchoServer server(options());
  const int port = server.start();
  const std::string begun = "GET /hello HTTP/1.1\r\nHost: a\r\n" + kOrigin;
  TestClient slow(port);
  slow.send(begun);
  expect_readable(TestClient(port).ask(begun + "X: " + std::string(20000, 'x')), 431);
  expect_readable(TestClient(port).ask(begun + "no field\r\n\r\n"), 400);
  expect_readable(TestClient(port).ask(begun + "Content-Encoding: gzip\r\n\r\n"), 415);
  expect_readable(slow.response(), 408);
}

TEST(CorsTest, AllowedPagesCanReadFaultsOfTheBody) {
  EchoServer server(options());
  const int port = server.start();
  const std::string begun = "POST /echo HTTP/1.1\r\nHost: a\r\n" + kOrigin;
  TestClient slow(port);
  slow.send(begun + "Content-Length: 100\r\n\r\nhalf");
  expect_readable(TestClient(port).ask(begun + "Content-Length: 9999999\r\n\r\n"), 413);
  expect_readable(TestClient(port).ask(begun + "Transfer-Encoding: chunked\r\n\r\nno length\r\n"),
                  400);
  expect_readable(slow.response(), 408);
}

TEST(CorsTest, AllowedPagesCanReadOverload) {
  Gate gate;
  EchoServer server(options());
  server.add("GET", "/gate", [&](const HttpRequest&) {
    gate.wait();
    return Answer{};
  });
  const int port = server.start();
  TestClient waiting(port);
  waiting.send(get("/gate"));
  gate.await(1);
  const TestResponse response = TestClient(port).ask(get("/hello", kOrigin));
  expect_readable(response, 503);
  EXPECT_EQ(response.field("Access-Control-Expose-Headers"),
            "Retry-After, X-Request-ID, X-Segments, X-Left-Out");
  gate.open();
}

TEST(CorsTest, OtherOriginsCannotReadAnswers) {
  EchoServer server(options());
  const int port = server.start();
  const auto refused = [&](const std::string& fields) {
    return TestClient(port).ask("POST /echo HTTP/1.1\r\nHost: a\r\n" + fields +
                                "Content-Length: 9999999\r\n\r\n");
  };
  EXPECT_EQ(refused("Origin: https://c.example\r\n").field("Access-Control-Allow-Origin"), "");
  EXPECT_EQ(refused("").field("Access-Control-Allow-Origin"), "");
  EchoServer closed;
  EXPECT_EQ(
      TestClient(closed.start())
          .ask("POST /echo HTTP/1.1\r\nHost: a\r\n" + kOrigin + "Content-Length: 9999999\r\n\r\n")
          .field("Vary"),
      "");
}

}  // namespace
}  // namespace dietmt::service
