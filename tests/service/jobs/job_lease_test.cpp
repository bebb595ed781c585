// Leases, failed chunks, and workers that die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/jobs/job_queue.h"
#include "tests/service/jobs/job_queue_fixture.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ::testing::HasSubstr;

class JobLeaseTest : public JobQueueTest {};

TEST_P(JobLeaseTest, AnExpiredLeaseGoesToAnother) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n");
  const TakenChunk first = queue.take("w1", kLong).value();
  EXPECT_TRUE(queue.is_wanted(first));
  EXPECT_FALSE(queue.take("w2", kLong));
  EXPECT_TRUE(queue.renew(first, kExpired));
  const TakenChunk second = queue.take("w2", kLong).value();
  EXPECT_EQ(second.input.text, "a\n");
  EXPECT_FALSE(queue.is_wanted(first));
  EXPECT_FALSE(queue.renew(first, kLong));
  EXPECT_FALSE(queue.complete(first, {"first\n", {}}));
  queue.release(first);  // not its own to release
  EXPECT_FALSE(queue.take("w3", kLong));
  EXPECT_TRUE(queue.complete(second, {"second\n", {}}));
  EXPECT_EQ(result(queue, id), "second\n");
  EXPECT_EQ(status(queue, id).lines_done, 1);
}

TEST_P(JobLeaseTest, ARenewedLeaseStays) {
  JobQueue queue = make_queue();
  submit(queue, "a\n");
  const TakenChunk chunk = queue.take("w1", kExpired).value();
  EXPECT_TRUE(queue.renew(chunk, kLong));
  EXPECT_FALSE(queue.take("w2", kLong));
}

TEST_P(JobLeaseTest, ALateWorkerWhoseChunkNobodyTookMayStillStoreIt) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n");
  const TakenChunk chunk = queue.take("w1", kExpired).value();
  EXPECT_TRUE(queue.complete(chunk, {"A\n", {}}));
  EXPECT_EQ(status(queue, id).state, JobState::kDone);
}

TEST_P(JobLeaseTest, StoringTwiceCountsOnce) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\nb\n", 1);
  const TakenChunk chunk = queue.take("w", kLong).value();
  EXPECT_TRUE(queue.complete(chunk, {"A\n", {{1, "bad"}}}));
  EXPECT_TRUE(queue.complete(chunk, {"A\n", {{1, "bad"}}}));
  EXPECT_EQ(status(queue, id).lines_done, 1);
  EXPECT_EQ(status(queue, id).bad_lines, 1);
  EXPECT_EQ(status(queue, id).state, JobState::kRunning);
}

TEST_P(JobLeaseTest, AChunkThatFailsThreeTimesFailsItsJob) {
  JobQueue queue = make_queue({3, 0ms, 3});
  const std::string id = submit(queue, "a\nb\nc\n", 2);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(status(queue, id).state, attempt == 1 ? JobState::kQueued : JobState::kRunning);
    const TakenChunk chunk = queue.take("w", kLong).value();
    EXPECT_EQ(chunk.number, 0);
    queue.report_failure(chunk, "no \xFF memory"s + '\0');
  }
  const JobStatus job = status(queue, id);
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.error,
            "lines 1 to 2 could not be translated in 3 attempts: no \xEF\xBF\xBD memory");
  EXPECT_TRUE(job.finished);
  EXPECT_FALSE(queue.take("w", kLong));
}

TEST_P(JobLeaseTest, AFailedChunkRestsBeforeItIsTriedAgain) {
  JobQueue queue = make_queue({3, 1h, 3});
  submit(queue, "a\n");
  queue.report_failure(queue.take("w", kLong).value(), "reason");
  EXPECT_FALSE(queue.take("w", kLong));
  queue.database().execute("UPDATE dietmt_chunks SET free_from = free_from - 3600000000");
  EXPECT_TRUE(queue.take("w", kLong));
}

TEST_P(JobLeaseTest, AChunkThatEndsItsWorkersFailsItsJob) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.take("w", kExpired));
  EXPECT_FALSE(queue.take("w", kLong));
  EXPECT_EQ(status(queue, id).state, JobState::kFailed);
  EXPECT_THAT(status(queue, id).error, HasSubstr("3 workers disappeared"));
}

TEST_P(JobLeaseTest, AReleasedChunkIsAsItWas) {
  JobQueue queue = make_queue({3, 0ms, 3});
  const std::string id = submit(queue, "a\nb\n", 1);
  for (int i = 0; i < 10; ++i) {
    const TakenChunk chunk = queue.take("w", kLong).value();
    EXPECT_EQ(chunk.number, 0);
    EXPECT_EQ(chunk.input.text, "a\n");
    EXPECT_TRUE(queue.is_wanted(chunk));
    queue.release(chunk);
    EXPECT_FALSE(queue.is_wanted(chunk));
    EXPECT_FALSE(queue.complete(chunk, {"A\n", {}}));
  }
  // It counts neither as a lost lease nor as one of three attempts.
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(status(queue, id).state, JobState::kRunning) << attempt;
    queue.report_failure(queue.take("w", kLong).value(), "reason");
  }
  EXPECT_EQ(status(queue, id).state, JobState::kFailed);
}

TEST_P(JobLeaseTest, TheChunksOfADeadProcessAreFreeAtOnce) {
  JobQueue queue = make_queue();
  submit(queue, "a\nb\n", 1);
  int name[2];
  ASSERT_EQ(::pipe(name), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string identity = process_identity();
    const ssize_t written = ::write(name[1], identity.data(), identity.size());
    ::_exit(written > 0 ? 0 : 1);
  }
  ::close(name[1]);
  char text[200];
  const ssize_t size = ::read(name[0], text, sizeof text);
  ::close(name[0]);
  ASSERT_GT(size, 0);
  ::waitpid(child, nullptr, 0);

  ASSERT_TRUE(queue.take(std::string(text, static_cast<size_t>(size)) + ":0", kLong));
  ASSERT_TRUE(queue.take(process_identity() + ":0", kLong));
  EXPECT_FALSE(queue.take("w", kLong));
  queue.release_dead_workers();
  const auto freed = queue.take("w", kLong);
  ASSERT_TRUE(freed);
  EXPECT_EQ(freed->input.text, "a\n");
  EXPECT_FALSE(queue.take("w", kLong));  // the living process has it
}

TEST_P(JobLeaseTest, WorkersOfOtherMachinesAreNotJudged) {
  EXPECT_FALSE(is_dead_process_of_this_machine("0000-1111:4026531836:1:2:0"));
  EXPECT_FALSE(is_dead_process_of_this_machine(""));
  EXPECT_FALSE(is_dead_process_of_this_machine(process_identity() + ":7"));
}

INSTANTIATE_TEST_SUITE_P(Databases, JobLeaseTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
