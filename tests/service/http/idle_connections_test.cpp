// Ten thousand silent clients in another process, because both ends would exceed one limit on open
// files.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tests/common/measurable_memory.h"
#include "tests/common/soon.h"
#include "tests/service/http/echo_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

constexpr int64_t kWanted = 10000;
constexpr int64_t kMostBytes = 10'000'000;  // of resident memory for that many

// Opens connections and keeps them until the pipe closes. Runs in a forked child, so it makes only
// system calls.
[[noreturn]] void hold_connections(int64_t count, int port, int pipe) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int64_t i = 0; i < count; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) ::_exit(1);
    // Every second one starts a request.
    if (i % 2 == 0 && ::send(socket, "GET /hel", 8, MSG_NOSIGNAL) != 8) ::_exit(1);
  }
  char byte = 0;
  (void)!::read(pipe, &byte, 1);
  ::_exit(0);
}

class Holder {
 public:
  Holder(int64_t count, int port) {
    EXPECT_EQ(::pipe(pipe_), 0);
    child_ = ::fork();
    if (child_ == 0) {
      ::close(pipe_[1]);
      hold_connections(count, port, pipe_[0]);
    }
    ::close(pipe_[0]);
  }
  ~Holder() { end(); }

  /// The child's exit status.
  int end() {
    if (child_ == 0) return status_;
    ::close(pipe_[1]);
    ::waitpid(child_, &status_, 0);
    child_ = 0;
    return status_;
  }

 private:
  int pipe_[2] = {};
  pid_t child_ = 0;
  int status_ = -1;
};

TEST(IdleConnections, TenThousandAreHeldWhileOthersAreServed) {
  rlimit files = {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const int64_t count = std::min<int64_t>(
      kWanted, static_cast<int64_t>(std::min<rlim_t>(files.rlim_max, 1 << 30)) - 1000);
  if (count < 2000) GTEST_SKIP() << "the limit of open files is " << files.rlim_max;

  HttpOptions options;
  options.head_timeout = std::chrono::minutes(1);
  EchoServer server(options);
  const int port = server.start();
  EXPECT_EQ(TestClient(port).ask(get("/hello")).body, "hello");
  const int64_t before = process_memory("VmRSS");
  Holder holder(count, port);
  for (int i = 0; i < 5 && !soon([&] { return server.counters().open_connections >= count; });
       ++i) {
  }
  ASSERT_GE(server.counters().open_connections, count);

  const int64_t growth = process_memory("VmRSS") - before;
  if (kMemoryIsMeasurable) {
    EXPECT_LT(growth, count == kWanted ? kMostBytes : count * 4096);
  }
  std::chrono::duration<double, std::milli> slowest{0};
  TestClient client(port);
  for (int i = 0; i < 100; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(client.ask(get("/hello")).body, "hello");
    slowest = std::max<decltype(slowest)>(slowest, std::chrono::steady_clock::now() - begin);
  }
  EXPECT_LT(slowest.count(), 5000);
  std::printf("%ld connections: %.1f MB, slowest of 100 answers %.2f ms\n",
              static_cast<long>(count), static_cast<double>(growth) / 1e6, slowest.count());
  EXPECT_EQ(holder.end(), 0);
  EXPECT_TRUE(soon([&] { return server.counters().open_connections == 1; }));
}

}  // namespace
}  // namespace dietmt::service
