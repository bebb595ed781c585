// Several requests on one connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/service/http/echo_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

TEST(Persistence, ConnectionServesManyRequests) {
  EchoServer server;
  TestClient client(server.start());
  for (int i = 0; i < 100; ++i) {
    const TestResponse response = client.ask(post("/echo", std::to_string(i)));
    EXPECT_EQ(response.body, std::to_string(i));
    EXPECT_EQ(response.field("Connection"), "");
  }
  EXPECT_EQ(server.counters().accepted_connections, 1);
  EXPECT_EQ(server.counters().requests, 100);
}

// RFC 9110, section 6.6.1.
TEST(Persistence, AnswersHaveADate) {
  EchoServer server;
  TestClient client(server.start());
  EXPECT_THAT(
      client.ask(get("/hello")).field("Date"),
      ::testing::MatchesRegex("(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]+ [A-Z][a-z][a-z] 20[0-9]+ "
                              "[0-9]+:[0-9]+:[0-9]+ GMT"));
  EXPECT_NE(client.ask("GET /hello HTTP/1.1\r\n\r\n").field("Date"), "") << "a fault";
}

TEST(Persistence, ALaterVersionOfHttp1IsSpoken) {
  EchoServer server;
  TestClient client(server.start());
  const TestResponse response = client.ask("GET /hello HTTP/1.2\r\nHost: a\r\n\r\n");
  EXPECT_EQ(response.body, "hello");
  EXPECT_TRUE(response.head.starts_with("HTTP/1.1 200"));
}

TEST(Persistence, PipelinedRequestsAreAnsweredInOrder) {
  EchoServer server;
  TestClient client(server.start());
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += post("/echo", std::to_string(i));
  client.send(requests);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.response().body, std::to_string(i));
}

TEST(Persistence, ChunkedBodyEndsWhereTheNextRequestBegins) {
  EchoServer server;
  TestClient client(server.start());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nfirst\r\n7;x=y\r\n second\r\n0\r\nA: b\r\n\r\n" +
      get("/hello"));
  EXPECT_EQ(client.response().body, "first second");
  EXPECT_EQ(client.response().body, "hello");
}

// A body that the handler does not read must not be parsed as the next request.
TEST(Persistence, UnreadBodyIsNotTheNextRequest) {
  EchoServer server;
  TestClient client(server.start());
  const std::string hidden = get("/hidden");
  client.send(get("/hello", "Content-Length: " + std::to_string(hidden.size()) + "\r\n") + hidden +
              get("/hello"));
  EXPECT_EQ(client.response().body, "hello");
  EXPECT_EQ(client.response().body, "hello");
}

TEST(Persistence, ContinueIsSentWhenTheClientWaits) {
  EchoServer server;
  TestClient client(server.start());
  const std::string request = post("/echo", "body", "Expect: 100-continue\r\n");
  client.send(request.substr(0, request.size() - 4));
  EXPECT_EQ(client.receive(1000), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("body");
  EXPECT_EQ(client.response().body, "body");
  // A client that does not wait can send at once.
  EXPECT_EQ(client.ask(request).body, "body");
}

TEST(Persistence, ContinueIsRefusedForTooLargeBodies) {
  EchoServer server;
  TestClient client(server.start());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.response().status, 413);
}

TEST(Persistence, ServerClosesIfTheClientAsksForIt) {
  EchoServer server;
  const int port = server.start();
  for (const std::string& request : {get("/hello", "Connection: keep-x, Close\r\n"),
                                     std::string("GET /hello HTTP/1.0\r\n\r\n")}) {
    TestClient client(port);
    const TestResponse response = client.ask(request);
    EXPECT_EQ(response.body, "hello");
    EXPECT_EQ(response.field("Connection"), "close");
    EXPECT_TRUE(client.ended());
  }
}

TEST(Persistence, HeadHasNoBody) {
  EchoServer server;
  TestClient client(server.start());
  client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n" + get("/hello"));
  EXPECT_EQ(client.response(true).status, 200);
  EXPECT_EQ(client.response().body, "hello");
}

TEST(Persistence, ResponseWithoutLengthEndsWithTheConnection) {
  EchoServer server;
  server.add("GET", "/stream", [](const HttpRequest&) {
    return Answer{.type = "text/plain", .pieces = [n = 0]() mutable {
                    return n++ < 3 ? std::optional<std::string>("piece ") : std::nullopt;
                  }};
  });
  const int port = server.start();
  EXPECT_EQ(TestClient(port).ask(get("/stream")).body, "piece piece piece ");  // chunked
  TestClient client(port);
  EXPECT_EQ(client.ask("GET /stream HTTP/1.0\r\n\r\n").status, 200);
  std::string body;
  for (std::string piece = client.receive(100); !piece.empty(); piece = client.receive(100)) {
    body += piece;
  }
  EXPECT_EQ(body, "piece piece piece ");
}

TEST(Persistence, HalfClosedClientGetsItsAnswer) {
  EchoServer server;
  TestClient client(server.start());
  client.send(get("/hello"));
  client.finish_sending();
  EXPECT_EQ(client.response().body, "hello");
  EXPECT_TRUE(client.ended());
}

}  // namespace
}  // namespace dietmt::service
