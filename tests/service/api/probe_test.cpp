// Probes, and whether they answer while the server accepts no other request.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "tests/common/soon.h"
#include "tests/service/api/test_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

int status_of(int port, const std::string& path) { return TestClient(port).ask(get(path)).status; }

TEST(ProbeTest, AnswersWhileMoreThanAThousandConnectionsKeepHandlersBusy) {
  constexpr int kClients = 1400;
  rlimit files = {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < 4 * kClients)
    GTEST_SKIP() << "the limit of open files is " << files.rlim_max;
  const TestServer server({.step = 20ms});  // three seconds per sentence
  const json text = {{"q", std::string(150, 'x')}, {"source", "en"}, {"target", "de"}};
  const std::string request = post("/translate", text.dump(), "Content-Type: application/json\r\n");
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<TestClient>(server.port()));
    clients.back()->send(request);
  }
  ASSERT_TRUE(soon([&] { return server.counters().overloaded > 0; }));
  EXPECT_GT(server.counters().requests_in_flight, 1000);
  EXPECT_EQ(status_of(server.port(), "/languages"), 503);
  for (const char* probe : {"/live", "/ready", "/health", "/metrics"})
    EXPECT_EQ(status_of(server.port(), probe), 200) << probe;
}

TEST(ProbeTest, ADrainingServerIsLiveAndNotReady) {
  TestServer server;
  EXPECT_EQ(server.get("/ready"), std::pair(200, json({{"status", "ok"}})));
  server.api().drain();
  EXPECT_EQ(server.get("/ready"), std::pair(503, json({{"status", "draining"}})));
  EXPECT_EQ(server.get("/live"), std::pair(200, json({{"status", "ok"}})));
}

TEST(ProbeTest, AServerWithoutAModelThatLoadsIsNotReady) {
  const ModelSpec good = {"en-de", "en", "de", "good"};
  const ModelSpec bad = {"de-en", "de", "en", "bad"};
  const auto load = [](const ModelSpec& spec) {
    if (spec.name == "de-en") throw Error("no file");
    return fake_model();
  };
  const TestServer one({.loader = load, .specs = {bad}});
  EXPECT_EQ(one.get("/ready").first, 200);  // no request has needed it
  one.post("/translate", {{"q", "a"}, {"source", "de"}, {"target", "en"}});
  EXPECT_EQ(one.get("/ready"), std::pair(503, json({{"status", "no_model"}})));
  const TestServer two({.loader = load, .specs = {bad, good}});
  two.post("/translate", {{"q", "a"}, {"source", "de"}, {"target", "en"}});
  EXPECT_EQ(two.get("/ready").first, 200);
}

TEST(ProbeTest, RequestsAreCountedByClient) {
  TestServer server;
  HttpRequest request;
  request.client = "10.0.0.1";
  request.head = {.method = "GET", .target = "/languages", .path = "/languages"};
  EXPECT_EQ(server.api().handler().lane(request).client, "10.0.0.1");
  EXPECT_FALSE(server.api().handler().lane(request).is_reserved);
  request.head.path = "/live";
  EXPECT_TRUE(server.api().handler().lane(request).is_reserved);
}

}  // namespace
}  // namespace dietmt::service
