// More requests or connections than the server accepts, and draining.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/error.h"
#include "tests/common/soon.h"
#include "tests/service/gate.h"
#include "tests/service/http/echo_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// GET /gate answers once the gate is open.
class GatedServer : public EchoServer {
 public:
  explicit GatedServer(HttpOptions options = {}) : EchoServer(std::move(options)) {
    add("GET", "/gate", [this](const HttpRequest&) {
      gate.wait();
      return Answer{.body = "through", .type = "text/plain"};
    });
  }

  Gate gate;
};

std::vector<std::unique_ptr<TestClient>> clients_at_gate(int port, int count,
                                                         const std::string& fields = "") {
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<TestClient>(port));
    clients.back()->send(get("/gate", fields));
  }
  return clients;
}

TEST(Overload, MoreRequestsThanThreadsAndBacklogGet503) {
  HttpOptions options;
  options.handler_threads = 3;
  options.backlog = 2;
  options.retry_after = 7;
  GatedServer server(options);
  const int port = server.start();
  auto clients = clients_at_gate(port, 5);
  server.gate.await(3);
  EXPECT_TRUE(soon([&] { return server.counters().requests_in_flight == 5; }));
  for (int i = 0; i < 3; ++i) {
    const TestResponse response = TestClient(port).ask(get("/hello"));
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.field("Retry-After"), "7");
    EXPECT_EQ(nlohmann::json::parse(response.body).count("error"), 1u);
  }
  EXPECT_EQ(server.counters().overloaded, 3);
  server.gate.open();
  for (const auto& client : clients) EXPECT_EQ(client->response().body, "through");
  EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello");
  EXPECT_EQ(server.counters().requests_in_flight, 0);
}

TEST(Overload, AReservedThreadAnswersProbes) {
  HttpOptions options;
  options.handler_threads = 2;
  options.backlog = 0;
  GatedServer server(options);
  server.add("GET", "/probe", [](const HttpRequest&) { return Answer{.body = "alive"}; });
  const int port = server.start();
  auto clients = clients_at_gate(port, 2);
  server.gate.await(2);
  EXPECT_EQ(TestClient(port).ask(get("/hello")).status, 503);
  EXPECT_EQ(TestClient(port).ask(get("/probe")).body, "alive");
  server.gate.open();
  for (const auto& client : clients) EXPECT_EQ(client->response().body, "through");
}

TEST(Overload, HandlersGiveWayAndReservedOnesDoNot) {
  EchoServer server({.handler_niceness = 3});
  for (const char* path : {"/probe", "/work"}) {
    server.add("GET", path, [](const HttpRequest&) {
      return Answer{.body = std::to_string(::getpriority(PRIO_PROCESS, 0))};  // of this thread
    });
  }
  const int port = server.start();
  const int own = ::getpriority(PRIO_PROCESS, 0);
  EXPECT_EQ(TestClient(port).ask(get("/probe")).body, std::to_string(own));
  EXPECT_EQ(TestClient(port).ask(get("/work")).body, std::to_string(std::min(own + 3, 19)));
}

TEST(Overload, ProbesWaitForEachOther) {
  HttpOptions options;
  options.backlog = 0;
  GatedServer server(options);
  server.add("GET", "/probe", [&](const HttpRequest&) {
    server.gate.wait();
    return Answer{.body = "alive"};
  });
  const int port = server.start();
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<TestClient>(port));
    clients.back()->send(get("/probe"));
  }
  EXPECT_TRUE(soon([&] { return server.counters().requests_in_flight == 20; }));
  server.gate.open();
  for (const auto& client : clients) EXPECT_EQ(client->response().body, "alive");
}

TEST(Overload, OneClientLeavesRoomForOthers) {
  HttpOptions options;
  options.handler_threads = 4;
  options.backlog = 0;
  options.max_of_client = 3;
  GatedServer server(options);
  const int port = server.start();
  const std::string many = "X-Client: many\r\n";
  auto clients = clients_at_gate(port, 3, many);
  server.gate.await(3);
  const TestResponse refused = TestClient(port).ask(get("/hello", many));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("Retry-After"), "1");
  EXPECT_EQ(TestClient(port).ask(get("/hello", "X-Client: few\r\n")).body, "hello");
  server.gate.open();
  for (const auto& client : clients) EXPECT_EQ(client->response().body, "through");
  EXPECT_TRUE(soon([&] { return TestClient(port).ask(get("/hello", many)).status == 200; }));
}

TEST(Overload, LongestIdleConnectionMakesRoom) {
  HttpOptions options;
  options.max_connections = 3;
  GatedServer server(options);
  const int port = server.start();
  TestClient first(port);
  first.ask(get("/hello"));
  TestClient second(port);
  second.ask(get("/hello"));
  TestClient third(port);
  third.ask(get("/hello"));
  first.ask(get("/hello"));  // now the second has been idle longest
  TestClient fourth(port);
  EXPECT_EQ(fourth.ask(get("/hello")).body, "hello");
  EXPECT_TRUE(second.ended());
  EXPECT_EQ(first.ask(get("/hello")).body, "hello");
  EXPECT_EQ(third.ask(get("/hello")).body, "hello");
  EXPECT_EQ(server.counters().evicted, 1);
}

TEST(Overload, BusyConnectionsAreNotClosed) {
  HttpOptions options;
  options.max_connections = 2;
  GatedServer server(options);
  const int port = server.start();
  auto clients = clients_at_gate(port, 2);
  server.gate.await(2);
  EXPECT_EQ(TestClient(port).ask(get("/hello")).status, 0);
  EXPECT_EQ(server.counters().refused, 1);
  server.gate.open();
  for (const auto& client : clients) EXPECT_EQ(client->response().body, "through");
}

TEST(Overload, BackloggedRequestsOfVanishedClientsAreNotHandled) {
  HttpOptions options;
  options.handler_threads = 1;
  GatedServer server(options);
  std::atomic<int> counted = 0;
  server.add("GET", "/count", [&](const HttpRequest&) {
    ++counted;
    return Answer{};
  });
  const int port = server.start();
  auto clients = clients_at_gate(port, 1);
  server.gate.await(1);
  {
    TestClient vanishing(port);
    vanishing.send(get("/count"));
    EXPECT_TRUE(soon([&] { return server.counters().requests_in_flight == 2; }));
    vanishing.reset();
  }
  EXPECT_TRUE(soon([&] { return server.counters().vanished == 1; }));
  server.gate.open();
  EXPECT_TRUE(soon([&] { return server.counters().requests_in_flight == 0; }));
  EXPECT_EQ(counted, 0);
}

TEST(Drain, FinishesRunningRequestsAndAcceptsNoNewOnes) {
  GatedServer server;
  const int port = server.start();
  TestClient idle(port);
  idle.ask(get("/hello"));
  TestClient half(port);
  half.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(half.receive(1000), "HTTP/1.1 100 Continue\r\n\r\n") << "its head has been read";
  auto clients = clients_at_gate(port, 2);
  server.gate.await(2);

  EXPECT_FALSE(server.drain(milliseconds(50)));
  EXPECT_TRUE(idle.ended());
  EXPECT_THROW(TestClient{port}, std::runtime_error);
  half.send("body");
  const TestResponse response = half.response();
  EXPECT_EQ(response.body, "body");
  EXPECT_EQ(response.field("Connection"), "close");
  EXPECT_TRUE(half.ended());

  server.gate.open();
  EXPECT_TRUE(server.drain(seconds(10)));
  for (const auto& client : clients) EXPECT_EQ(client->response().body, "through");
}

TEST(Drain, StopAcceptingKeepsOpenConnections) {
  EchoServer server;
  const int port = server.start();
  TestClient client(port);
  client.ask(get("/hello"));
  server.stop_accepting();
  EXPECT_TRUE(soon([&] {
    try {
      TestClient{port};
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  }));
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST(Listen, ExplainsFailures) {
  EchoServer first;
  const int port = first.start();
  EchoServer second;
  try {
    second.listen("127.0.0.1", port);
    FAIL() << "two servers on one port";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(port)), std::string::npos);
  }
  EXPECT_THROW(EchoServer().listen("127.0.0.1", 70000), ConfigError);
  EXPECT_THROW(EchoServer().listen("no.such.host.invalid", 0), ConfigError);
}

}  // namespace
}  // namespace dietmt::service
