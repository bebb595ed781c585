#include "common/process.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

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

// In a process of its own: signals and their blocking belong to the whole process.
template <typename Body>
int status_of_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(StopSignalTest, TheFirstSetsTheFlagAndNoComputingThreadIsInterrupted) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const int status = status_of_child([signal] {
      std::signal(signal, SIG_IGN);  // as a shell leaves SIGINT to what runs in the background
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

}  // namespace
}  // namespace dietmt
