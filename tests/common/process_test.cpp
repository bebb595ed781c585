#include "common/process.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include "common/child_process.h"
#include "common/exit_kinds.h"

namespace dietmt {
namespace {

bool blocks(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

bool comes_within(std::chrono::seconds patience, bool (*happened)()) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!happened() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return happened();
}

// In a separate process, since signals and their blocking belong to the whole process.
template <typename Body>
int status_of_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

int niceness_of_this_thread() { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); }

TEST(GiveWayTest, OnlyThisThreadAndThoseThatItStarts) {
  const int before = niceness_of_this_thread();
  int in_thread = 0, in_its_thread = 0;
  std::thread([&] {
    give_way(0);
    give_way(3);
    in_thread = niceness_of_this_thread();
    std::thread([&] {
      give_way(3);  // is inherited
      give_way(1);
      in_its_thread = niceness_of_this_thread();
    }).join();
  }).join();
  EXPECT_EQ(in_thread, std::min(before + 3, 19));
  EXPECT_EQ(in_its_thread, in_thread);
  EXPECT_EQ(niceness_of_this_thread(), before);
}

TEST(StopSignalTest, TheFirstSetsTheFlagAndNoComputingThreadIsInterrupted) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const int status = status_of_child([signal] {
      // As a shell leaves SIGINT for background processes.
      if (signal == SIGINT) std::signal(signal, SIG_IGN);
      install_stop_signal();
      if (stop_requested()) return 1;
      bool blocked_in_new_thread = false;
      std::thread([&] { blocked_in_new_thread = blocks(signal); }).join();
      if (!blocks(signal) || !blocked_in_new_thread) return 2;
      kill(getpid(), signal);
      return comes_within(std::chrono::seconds(30), stop_requested) ? 0 : 3;
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST(StopSignalTest, TheSecondEndsTheProcess) {
  const int status = status_of_child([] {
    install_stop_signal();
    kill(getpid(), SIGINT);
    if (!comes_within(std::chrono::seconds(30), stop_requested)) return 1;
    kill(getpid(), SIGTERM);
    std::this_thread::sleep_for(std::chrono::seconds(30));
    return 2;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(StopSignalTest, AHangUpThatIsIgnoredStaysIgnored) {
  const int status = status_of_child([] {
    std::signal(SIGHUP, SIG_IGN);  // as nohup leaves it
    install_stop_signal();
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGTERM);
    if (!comes_within(std::chrono::seconds(30), stop_requested)) return 1;
    kill(getpid(), SIGHUP);  // would be the second signal
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return blocks(SIGHUP) ? 2 : 0;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(StopSignalTest, ATimeLimitSetsTheFlagToo) {
  const int status = status_of_child([] {
    stop_after(std::chrono::hours(1));
    if (stop_requested()) return 1;
    stop_after(std::chrono::milliseconds(1));
    if (!comes_within(std::chrono::seconds(30), stop_requested)) return 2;
    try {
      throw_if_stop_requested();
    } catch (const Stopped& stopped) {
      return std::string(stopped.what()) == "stopped by --max-time" ? 0 : 3;
    }
    return 4;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ProgramPathTest, IsPrinted) { std::cout << "program " << program_path().string() << "\n"; }

// As in the portable archive. The child runs the test above.
TEST(ProgramPathTest, OfAProgramThatItsLoaderStartsIsTheNameThatItWasGiven) {
#if defined(__aarch64__)
  constexpr char kLoader[] = "/lib/ld-linux-aarch64.so.1";
#else
  constexpr char kLoader[] = "/lib64/ld-linux-x86-64.so.2";
#endif
  if (!std::filesystem::exists(kLoader)) GTEST_SKIP() << "there is no " << kLoader;
  std::string output;
  const ChildProgram child{.words = {kLoader, "--argv0", "/archive/bin/dietmt", program_path(),
                                     "--gtest_filter=ProgramPathTest.IsPrinted"}};
  EXPECT_EQ(run_child(child, [&](std::string_view piece) { output += piece; }), 0);
  EXPECT_NE(output.find("program /archive/bin/dietmt\n"), output.npos) << output;
}

}  // namespace
}  // namespace dietmt
