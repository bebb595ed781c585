// Clients that are slow, send too much, or send nonsense get an answer and do not disturb others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/service/http/echo_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

HttpOptions impatient() {
  HttpOptions options;
  options.head_timeout = milliseconds(300);
  options.idle_timeout = milliseconds(600);
  options.transfer_period = milliseconds(300);
  options.transfer_rate = 1000;
  return options;
}

void expect_fault(const TestResponse& response, int status) {
  EXPECT_EQ(response.status, status);
  EXPECT_EQ(response.field("Content-Type"), "application/json");
  EXPECT_EQ(response.field("Connection"), "close");
  EXPECT_FALSE(nlohmann::json::parse(response.body).at("error").get<std::string>().empty());
}

TEST(RequestLimits, SlowHeadIsEndedWhileOthersAreServed) {
  EchoServer server(impatient());
  const int port = server.start();
  TestClient slow(port);
  slow.send("GET /hello HT");
  EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello");
  expect_fault(slow.response(), 408);
  EXPECT_TRUE(slow.ended());
  EXPECT_EQ(server.counters().timed_out, 1);
}

TEST(RequestLimits, SilentConnectionIsClosed) {
  EchoServer server(impatient());
  TestClient silent(server.start());
  silent.send("\r\n\r\n");  // may precede a request
  EXPECT_TRUE(silent.ended());
}

TEST(RequestLimits, HalfSentBodyIsEnded) {
  EchoServer server(impatient());
  const int port = server.start();
  TestClient slow(port);
  slow.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf");
  EXPECT_EQ(TestClient(port).ask(post("/echo", "whole")).body, "whole");
  expect_fault(slow.response(), 408);
}

TEST(RequestLimits, SteadyBodyMayTakeLong) {
  HttpOptions options;
  options.transfer_period = milliseconds(2000);
  options.transfer_rate = 125;
  EchoServer server(options);
  TestClient steady(server.start());
  steady.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
  for (int i = 0; i < 10; ++i) {  // 1000 bytes in 2.2 seconds, longer than a period
    std::this_thread::sleep_for(milliseconds(220));
    steady.send(std::string(100, 'x'));
  }
  EXPECT_EQ(steady.response().body, std::string(1000, 'x'));
}

TEST(RequestLimits, RequestsMayArriveByteByByte) {
  EchoServer server;
  TestClient client(server.start());
  for (const char c : post("/echo", "body")) client.send({&c, 1});
  EXPECT_EQ(client.response().body, "body");
}

TEST(RequestLimits, TooLargeBodyIsAnsweredBeforeItIsSent) {
  HttpOptions options;
  options.max_body = 1000;
  EchoServer server(options);
  TestClient client(server.start());
  // The client sends the whole body before it reads; the answer must not be lost.
  client.send(post("/echo", std::string(8 << 20, 'x')));
  expect_fault(client.response(), 413);
  EXPECT_EQ(server.counters().too_large, 1);
}

TEST(RequestLimits, NonsenseIsAnswered) {
  EchoServer server;
  const int port = server.start();
  expect_fault(TestClient(port).ask("nonsense\r\n\r\n"), 400);
  expect_fault(TestClient(port).ask(std::string("\x16\x03\x01\x00\xa5\x01", 6)), 400);
  expect_fault(TestClient(port).ask("GET /" + std::string(9000, 'a')), 414);
  expect_fault(TestClient(port).ask(get("/hello", "A: " + std::string(9000, 'a') + "\r\n")), 431);
  expect_fault(TestClient(port).ask("BREW / HTTP/1.1\r\nHost: a\r\n\r\n"), 501);
  expect_fault(TestClient(port).ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
                                    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
               400);
  expect_fault(TestClient(port).ask(
                   "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
               400);
  EXPECT_EQ(server.counters().requests, 0);
  EXPECT_EQ(server.counters().malformed, 5);
  EXPECT_EQ(server.counters().too_large, 2);
}

TEST(RequestLimits, BytesAfterAFaultAreNotARequest) {
  EchoServer server;
  TestClient client(server.start());
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n" +
              get("/hello"));
  expect_fault(client.response(), 400);
  EXPECT_TRUE(client.ended());
}

// Requires a key; with the key "small", bodies must stay in memory.
class GuardedServer : public EchoServer {
 public:
  using EchoServer::EchoServer;

  Admission admit(const RequestHead& head, const std::string&) override {
    const std::string& key = head.field("x-api-key");
    if (key.empty()) return {.refusal = Answer{.status = 401, .body = "who?"}};
    return {.may_spool = key != "small"};
  }
};

TEST(RequestLimits, AdmissionComesBeforeTheBody) {
  HttpOptions options;
  options.max_body = 10 << 20;
  GuardedServer server(options);
  const int port = server.start();
  TestClient refused(port);
  const TestResponse answer = refused.ask(
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.body, "who?");
  EXPECT_EQ(answer.field("Connection"), "close");
  EXPECT_TRUE(refused.ended());
  EXPECT_EQ(server.counters().requests, 0);
  EXPECT_EQ(TestClient(port).ask(post("/echo", "body", "X-API-Key: any\r\n")).body, "body");
  // Without a body the connection stays open.
  TestClient client(port);
  EXPECT_EQ(client.ask(get("/hello")).status, 401);
  EXPECT_EQ(client.ask(get("/hello", "X-API-Key: any\r\n")).body, "hello");
  const std::string large(2 << 20, 'x');
  EXPECT_EQ(TestClient(port).ask(post("/echo", large, "X-API-Key: any\r\n")).body, large);
  expect_fault(TestClient(port).ask(post("/echo", large, "X-API-Key: small\r\n")), 401);
}

TEST(RequestLimits, HandlersErrorsAreJson) {
  EchoServer server;
  server.add("GET", "/broken",
             [](const HttpRequest&) -> Answer { throw std::runtime_error("a secret"); });
  TestClient client(server.start());
  const TestResponse broken = client.ask(get("/broken"));
  EXPECT_EQ(broken.status, 500);
  EXPECT_EQ(nlohmann::json::parse(broken.body).count("error"), 1u);
  EXPECT_EQ((broken.head + broken.body).find("a secret"), std::string::npos);
  const TestResponse missing = client.ask(get("/missing"));
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(nlohmann::json::parse(missing.body).count("error"), 1u);
}

TEST(RequestLimits, LongestFieldsDoNotExhaustTheStack) {
  EchoServer server;
  const int port = server.start();
  EXPECT_EQ(TestClient(port).ask(get("/any/" + std::string(7900, 'a'))).status, 404);
  std::string ranges = "bytes=0-1";
  while (ranges.size() < 7900) ranges += ",0-1";
  EXPECT_NE(TestClient(port).ask(get("/hello", "Range: " + ranges + "\r\n")).status, 0);
  EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello");
}

}  // namespace
}  // namespace dietmt::service
