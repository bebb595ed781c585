#include "common/system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "common/temporary_directory.h"

namespace dietmt {
namespace {

bool closes_on_exec(int file) { return (::fcntl(file, F_GETFD) & FD_CLOEXEC) != 0; }

TEST(System, UnnamedFileGetsAName) {
  const TemporaryDirectory directory;
  const FileDescriptor file = open_unnamed(directory.path(), 0600);
  if (!file.valid()) GTEST_SKIP() << "files without a name: " << std::strerror(errno);
  EXPECT_TRUE(closes_on_exec(file.number()));
  ASSERT_EQ(::write(file.number(), "text", 4), 4);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  EXPECT_EQ(read_file(path_of_open_file(file.number())), "text");
  ASSERT_TRUE(link_unnamed(file.number(), directory.path() + "/name"));
  EXPECT_EQ(read_file(directory.path() + "/name"), "text");
}

TEST(System, MemoryFileHoldsWhatIsWritten) {
  const FileDescriptor file = open_memory_file();
  ASSERT_TRUE(file.valid());
  EXPECT_TRUE(closes_on_exec(file.number()));
  char read[4] = {};
  ASSERT_EQ(::write(file.number(), "text", 4), 4);
  ASSERT_EQ(::pread(file.number(), read, 4, 0), 4);
  EXPECT_EQ(std::string(read, 4), "text");
}

TEST(System, ReservedSpaceIsOnTheDisk) {
  const FileDescriptor file = open_memory_file();
  ASSERT_EQ(reserve_disk_space(file.number(), 100'000), 0);
  struct stat status = {};
  ASSERT_EQ(::fstat(file.number(), &status), 0);
  EXPECT_EQ(status.st_size, 100'000);
  EXPECT_GE(status.st_blocks * 512, 100'000);
}

TEST(System, PipeAndConnectionCloseInOtherPrograms) {
  int ends[2];
  ASSERT_TRUE(open_pipe(ends));
  const FileDescriptor from(ends[0]), to(ends[1]);
  EXPECT_TRUE(closes_on_exec(from.number()) && closes_on_exec(to.number()));

  const FileDescriptor listener = open_socket(AF_INET, SOCK_STREAM);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener.number(), place, size), 0);
  ASSERT_EQ(::listen(listener.number(), 1), 0);
  ASSERT_EQ(::getsockname(listener.number(), place, &size), 0);
  const FileDescriptor client = open_socket(AF_INET, SOCK_STREAM);
  EXPECT_TRUE(closes_on_exec(client.number()));
  ASSERT_EQ(::connect(client.number(), place, size), 0);
  const FileDescriptor server(accept_connection(listener.number(), place, &size, Waiting::kNever));
  ASSERT_TRUE(server.valid());
  EXPECT_TRUE(closes_on_exec(server.number()));
  EXPECT_NE(::fcntl(server.number(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(System, TakesAPendingSignal) {
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(take_signal(signals, std::chrono::milliseconds(30)), 0);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(30));
  ::kill(::getpid(), SIGUSR2);
  EXPECT_EQ(take_signal(signals, std::chrono::seconds(10)), SIGUSR2);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(System, SemaphoreCounts) {
  Semaphore wanted, done;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) wanted.acquire();
    done.release();
  });
  for (int i = 0; i < 3; ++i) wanted.release();
  done.acquire();
  other.join();
}

TEST(System, MappingKeepsItsContentsWhenItGrows) {
  constexpr size_t kBytes = size_t{1} << 21;
  void* const first = grow_mapping(nullptr, 0, kBytes);
  ASSERT_NE(first, MAP_FAILED);
  static_cast<char*>(first)[kBytes - 1] = 'x';
  void* const grown = grow_mapping(first, kBytes, 3 * kBytes);
  ASSERT_NE(grown, MAP_FAILED);
  EXPECT_EQ(static_cast<char*>(grown)[kBytes - 1], 'x');
  EXPECT_EQ(static_cast<char*>(grown)[3 * kBytes - 1], 0);
  ::munmap(grown, 3 * kBytes);
}

}  // namespace
}  // namespace dietmt
