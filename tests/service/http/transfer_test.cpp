// Large bodies in both directions, clients that read slowly, and clients that vanish.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "tests/common/measurable_memory.h"
#include "tests/common/soon.h"
#include "tests/service/gate.h"
#include "tests/service/http/echo_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kMegabyte = 1 << 20;
constexpr int64_t kLarge = 100 * kMegabyte;

// GET /large generates `size` bytes on demand and counts them.
class LargeServer : public EchoServer {
 public:
  explicit LargeServer(HttpOptions options = {}, int64_t size = kLarge)
      : EchoServer(std::move(options)) {
    add("GET", "/large", [this, size](const HttpRequest&) {
      const auto left = std::make_shared<Left>(*this, size);
      return Answer{.type = "application/octet-stream", .pieces = [left] { return left->next(); }};
    });
  }

  static char pattern(size_t offset) { return static_cast<char>('a' + offset / 65536 % 26); }

  std::atomic<int64_t> made = 0;
  std::atomic<int> completed = 0;
  std::atomic<int> failed = 0;

 private:
  // The rest of an answer.
  struct Left {
    Left(LargeServer& server, int64_t size) : server_(server), size_(size) {}
    ~Left() { ended_ ? ++server_.completed : ++server_.failed; }
    Left(const Left&) = delete;
    Left& operator=(const Left&) = delete;

    std::optional<std::string> next() {
      ended_ = offset_ == size_;
      if (ended_) return std::nullopt;
      const std::string piece(static_cast<size_t>(std::min<int64_t>(size_ - offset_, 65536)),
                              pattern(static_cast<size_t>(offset_)));
      offset_ += std::ssize(piece);
      server_.made += std::ssize(piece);
      return piece;
    }

    LargeServer& server_;
    const int64_t size_;
    int64_t offset_ = 0;
    bool ended_ = false;
  };
};

TEST(Transfer, LargeBodyReachesAContentReaderInBoundedMemory) {
  HttpOptions options;
  options.max_body_below = {{"/upload", 200 * kMegabyte}};
  EchoServer server(options);
  server.add("POST", "/upload", [](const HttpRequest& request) {
    uint64_t bytes = 0;
    uint64_t sum = 0;
    std::string piece(65536, '\0');
    while (const size_t size = request.body->read(bytes, piece.data(), piece.size())) {
      bytes += size;
      for (size_t i = 0; i < size; ++i) sum = sum * 31 + static_cast<unsigned char>(piece[i]);
    }
    return Answer{.body = std::to_string(bytes) + " " + std::to_string(sum), .type = "text/plain"};
  });
  const int port = server.start();
  TestClient client(port);
  const int64_t before = process_memory("VmRSS");
  int64_t most = before;
  client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kLarge) +
              "\r\n\r\n");
  uint64_t sum = 0;
  for (int64_t i = 0; i < 100; ++i) {
    const std::string piece(kMegabyte, static_cast<char>('a' + i % 26));
    for (const char c : piece) sum = sum * 31 + static_cast<unsigned char>(c);
    ASSERT_TRUE(client.send(piece));
    most = std::max(most, process_memory("VmRSS"));
    if (i == 50) {
      EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello");
    }
  }
  EXPECT_EQ(client.response().body, std::to_string(kLarge) + " " + std::to_string(sum));
  most = std::max(most, process_memory("VmRSS"));
  if (kMemoryIsMeasurable) {
    EXPECT_LT(most - before, 10 * kMegabyte);
  }
  RecordProperty("growth_bytes", std::to_string(most - before));
}

TEST(Transfer, BodiesBetweenMemoryAndFileArriveWhole) {
  HttpOptions options;
  options.max_body = 4 * kMegabyte;
  EchoServer server(options);
  TestClient client(server.start());
  for (const int64_t size : {kMegabyte - 1, kMegabyte, kMegabyte + 1, 3 * kMegabyte}) {
    std::string body(static_cast<size_t>(size), 'x');
    for (size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>(i / 1000);
    EXPECT_TRUE(client.ask(post("/echo", body)).body == body) << size;
  }
}

TEST(Transfer, SlowReaderOfALargeResponseCostsABoundedBuffer) {
  LargeServer server;
  const int port = server.start();
  const int64_t before = process_memory("VmRSS");
  TestClient client(port, 4096);
  client.send(get("/large"));
  EXPECT_TRUE(soon([&] { return server.made > 0; }));
  std::this_thread::sleep_for(milliseconds(300));
  // The handler has generated no more than the buffers of server and system hold.
  const int64_t made_ahead = server.made;
  EXPECT_LT(made_ahead, 16 * kMegabyte);
  EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello");
  if (kMemoryIsMeasurable) {
    EXPECT_LT(process_memory("VmRSS") - before, 4 * kMegabyte);
  }
  RecordProperty("made_ahead_bytes", std::to_string(made_ahead));
}

TEST(Transfer, LargeResponseArrivesWhole) {
  LargeServer server;
  TestClient client(server.start());
  const TestResponse response = client.ask(get("/large"));
  ASSERT_EQ(response.body.size(), static_cast<size_t>(kLarge));
  for (size_t i = 0; i < response.body.size(); i += 65536) {
    ASSERT_EQ(response.body[i], LargeServer::pattern(i));
  }
  EXPECT_TRUE(soon([&] { return server.completed == 1; }));
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

std::vector<std::unique_ptr<TestClient>> slow_readers(int port, int count) {
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<TestClient>(port, 4096));
    clients.back()->send(get("/large"));
  }
  return clients;
}

TEST(Transfer, SlowReadersLeaveThreadsForOthers) {
  constexpr int64_t kSize = 8 * kMegabyte;
  for (const int threads : {1, 4}) {
    HttpOptions options;
    options.handler_threads = threads;
    LargeServer server(options, kSize);
    const int port = server.start();
    const auto clients = slow_readers(port, 3 * threads);
    EXPECT_TRUE(soon([&] { return server.made >= 2 * threads * kSize; }));
    EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello") << threads << " threads";
    for (const auto& client : clients) {
      const std::string body = client->response().body;
      ASSERT_EQ(body.size(), static_cast<size_t>(kSize));
      for (size_t i = 0; i < body.size(); i += 65536)
        ASSERT_EQ(body[i], LargeServer::pattern(i)) << i;
    }
    EXPECT_TRUE(soon([&] { return server.completed == 3 * threads; }));
  }
}

TEST(Transfer, SlowReadersAreCutOffIfThereIsNoRoomForTheirAnswers) {
  HttpOptions options;
  options.handler_threads = 4;
  options.all_bodies_memory = 0;
  options.all_bodies_disk = 0;
  LargeServer server(options);
  const int port = server.start();
  const auto clients = slow_readers(port, 8);
  EXPECT_TRUE(soon([&] { return server.failed == 7; }));  // one may wait
  EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello");
}

TEST(Transfer, ClientThatReadsNothingIsCutOff) {
  HttpOptions options;
  options.transfer_period = milliseconds(300);
  LargeServer server(options);
  TestClient client(server.start(), 4096);
  client.send(get("/large"));
  EXPECT_TRUE(soon([&] { return server.failed == 1; }));
  EXPECT_EQ(server.counters().timed_out, 1);
  EXPECT_TRUE(soon([&] { return server.counters().open_connections == 0; }));
  EXPECT_EQ(server.counters().vanished, 0);
}

// The burst earns no credit.
TEST(Transfer, UploadThatStallsAfterABurstIsCutOff) {
  HttpOptions options;
  options.max_body = kLarge;
  options.transfer_period = milliseconds(300);
  EchoServer server(options);
  TestClient client(server.start());
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n");
  client.send(std::string(8 << 20, 'x'));
  EXPECT_EQ(client.response().status, 408);
}

TEST(Transfer, ClientThatVanishesEndsItsDownload) {
  LargeServer server;
  const int port = server.start();
  {
    TestClient client(port);
    client.send(get("/large"));
    client.receive(1000);
    client.reset();
  }
  EXPECT_TRUE(soon([&] { return server.failed == 1; }));
  EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello");
}

TEST(Transfer, HandlerLearnsThatItsClientHasGone) {
  Gate gate;
  EchoServer server;
  std::atomic<int> noticed = 0;
  server.add("GET", "/wait", [&](const HttpRequest& request) {
    const auto gone = request.client_gone;
    EXPECT_FALSE(*gone);
    gate.wait();
    if (soon([&] { return gone->load(); })) ++noticed;
    return Answer{};
  });
  const int port = server.start();
  {
    TestClient closes(port);
    closes.send(get("/wait"));
    TestClient resets(port);
    resets.send(get("/wait"));
    gate.await(2);
    resets.reset();
  }
  gate.open();
  EXPECT_TRUE(soon([&] { return noticed == 2; }));
  EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello");
  EXPECT_TRUE(soon([&] { return server.counters().open_connections == 0; }));
}

}  // namespace
}  // namespace dietmt::service
