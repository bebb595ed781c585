// Worker processes that are killed without warning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "common/text_io.h"
#include "tests/common/soon.h"
#include "tests/service/jobs/fake_translator.h"
#include "tests/service/jobs/test_database.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;

class CrashTest : public DatabaseTest {
 protected:
  // `milliseconds`: for ten lines. Waits in its first chunk for `processes` workers.
  pid_t start_worker(int milliseconds, int processes = 1) const {
    const std::string directory = scratch().string();
    const std::string time = std::to_string(milliseconds);
    const std::string others = std::to_string(processes);
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::execl(DIETMT_JOBS_WORKER, DIETMT_JOBS_WORKER, queue_uri().c_str(), directory.c_str(),
            time.c_str(), (scratch() / "log").c_str(), others.c_str(), nullptr);
    ::_exit(127);
  }

  // True if the process has ended by itself without an error.
  static bool has_finished(pid_t process) {
    int status = 0;
    if (::waitpid(process, &status, WNOHANG) == 0) return false;
    EXPECT_EQ(status, 0);
    return true;
  }

  static void kill_now(pid_t process) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }

  static void wait_for_end(pid_t process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    EXPECT_EQ(status, 0);
  }

  // Chunks that each process has started.
  std::map<std::string, int> begun() const {
    std::map<std::string, int> chunks;
    if (!std::filesystem::exists(scratch() / "log")) return chunks;
    for (const std::string& process : read_lines((scratch() / "log").string())) ++chunks[process];
    return chunks;
  }
};

std::string translated(const std::string& name, int lines) {
  return numbered_lines(1, lines, "<" + name + " ", ">\n");
}

TEST_P(CrashTest, TenJobsSurviveKillsAtAnyMoment) {
  JobQueue queue(open());
  constexpr int kJobs = 10;
  constexpr int kLines = 145;
  std::vector<std::string> ids;
  for (int i = 0; i < kJobs; ++i)
    ids.push_back(submit(queue, numbered_lines(1, kLines, "job" + std::to_string(i) + " "), 10));

  std::mt19937 random(20);
  int kills = 0;
  for (bool finished = false;;) {
    const auto before = begun();
    const pid_t worker = start_worker(20);
    // Every second kill happens during work, however long a worker takes to start.
    while (kills % 2 == 1 && begun() == before && !(finished = has_finished(worker)))
      std::this_thread::sleep_for(5ms);
    if (finished) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 180));
    if (has_finished(worker)) break;
    kill_now(worker);
    ASSERT_LT(++kills, 500) << "no progress";
  }
  EXPECT_GE(kills, 5);
  int begun_chunks = 0;
  for (const auto& [process, chunks] : begun()) begun_chunks += chunks;
  RecordProperty("kills", kills);
  std::cout << kills << " kills, " << begun_chunks << " chunks begun for " << kJobs * 15 << "\n";
  EXPECT_GT(begun_chunks, kJobs * 15) << "no kill fell into a chunk";
  for (int i = 0; i < kJobs; ++i) {
    const JobStatus job = queue.find("", ids[static_cast<size_t>(i)]).value();
    EXPECT_EQ(job.state, JobState::kDone) << job.error;
    EXPECT_EQ(job.lines_done, kLines);
    EXPECT_EQ(result(queue, job.id), translated("job" + std::to_string(i), kLines));
  }
}

TEST_P(CrashTest, TwoProcessesShareTheWork) {
  JobQueue queue(open());
  const std::string id = submit(queue, numbered_lines(1, 600, "a "), 10);
  const pid_t workers[] = {start_worker(50, 2), start_worker(50, 2)};
  for (const pid_t worker : workers) wait_for_end(worker);
  EXPECT_EQ(result(queue, id), translated("a", 600));
  const std::map<std::string, int> chunks = begun();
  ASSERT_EQ(chunks.size(), 2U);
  int total = 0;
  for (const auto& [process, number] : chunks) {
    EXPECT_GE(number, 1);
    total += number;
  }
  EXPECT_EQ(total, 60);  // none was done twice
}

TEST_P(CrashTest, TheOtherProcessGoesOnWhereOneWasKilled) {
  JobQueue queue(open());
  const std::string id = submit(queue, numbered_lines(1, 400, "a "), 10);
  const pid_t first = start_worker(50, 2);
  const pid_t second = start_worker(50, 2);
  ASSERT_TRUE(soon([&] { return queue.find("", id)->lines_done >= 50; }));
  ASSERT_EQ(begun().count(std::to_string(first)), 1U);
  kill_now(first);
  wait_for_end(second);
  EXPECT_EQ(result(queue, id), translated("a", 400));
  EXPECT_EQ(queue.find("", id)->state, JobState::kDone);
}

INSTANTIATE_TEST_SUITE_P(Databases, CrashTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
