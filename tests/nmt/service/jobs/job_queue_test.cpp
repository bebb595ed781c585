#include "nmt/service/jobs/job_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <thread>

#include "nmt/service/jobs/process_identity.h"
#include "tests/nmt/service/jobs/test_database.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kLong = 60'000ms;
constexpr auto kShort = 30ms;
constexpr auto kLonger = 120ms;  // than kShort

const RetryPolicy kQuickRetry = {3, 1ms, 3};

class JobQueueTest : public DatabaseTest {
 protected:
  JobQueue make_queue(RetryPolicy policy = kQuickRetry) const { return JobQueue(open(), policy); }

  static int64_t count(JobQueue& queue, const std::string& table) {
    return queue.database().execute("SELECT COUNT(*) FROM " + table).rows.at(0).integer(0);
  }

  static JobStatus status(JobQueue& queue, const std::string& id) {
    return queue.find("", id).value();
  }
};

TEST_P(JobQueueTest, ChunksInAnyOrderMakeTheFileInOrder) {
  JobQueue queue = make_queue();
  JobOptions options;
  options.target = "de";
  options.decoding = {{"beam", 4}};
  const std::string id = submit(queue, "a\nb\nc\nd\ne\n", 2, options);
  JobStatus job = status(queue, id);
  EXPECT_EQ(job.state, JobState::kQueued);
  EXPECT_EQ(job.lines, 5);
  EXPECT_EQ(job.chunks, 3);
  EXPECT_FALSE(job.started);

  std::vector<TakenChunk> taken;
  while (const auto chunk = queue.take("w", kLong)) taken.push_back(*chunk);
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[1].first_line, 3);
  EXPECT_EQ(taken[1].input.text, "c\nd\n");
  EXPECT_EQ(taken[1].options.target, "de");
  EXPECT_EQ(taken[1].options.decoding, options.decoding);
  EXPECT_EQ(status(queue, id).state, JobState::kRunning);

  EXPECT_TRUE(queue.complete(taken[2], {"E\n", {{5, "bad"}}}));
  EXPECT_TRUE(queue.complete(taken[0], {"A\nB\n", {}}));
  EXPECT_EQ(result(queue, id), "A\nB\n");
  job = status(queue, id);
  EXPECT_EQ(job.lines_done, 3);
  EXPECT_EQ(job.state, JobState::kRunning);

  EXPECT_TRUE(queue.complete(taken[1], {"C\nD\n", {{3, "worse"}}}));
  EXPECT_EQ(result(queue, id), "A\nB\nC\nD\nE\n");
  job = status(queue, id);
  EXPECT_EQ(job.state, JobState::kDone);
  EXPECT_EQ(job.lines_done, 5);
  EXPECT_EQ(job.bad_lines, 2);
  EXPECT_TRUE(job.finished);
  const std::vector<BadLine> bad = queue.bad_lines(id, 10);
  ASSERT_EQ(bad.size(), 2U);
  EXPECT_EQ(bad[0].line, 3);
  EXPECT_EQ(bad[1].reason, "bad");
  EXPECT_EQ(queue.bad_lines(id, 1).size(), 1U);
}

TEST_P(JobQueueTest, AnyBytesAreKept) {
  JobQueue queue = make_queue();
  std::string bytes;
  for (int i = 0; i < 256; ++i)
    if (i != '\n') bytes += static_cast<char>(i);
  submit(queue, bytes + "\n");
  const TakenChunk chunk = queue.take("w", kLong).value();
  EXPECT_EQ(chunk.input.text, bytes + "\n");
  EXPECT_TRUE(queue.complete(chunk, {bytes + "\n", {}}));
  EXPECT_EQ(result(queue, chunk.job), bytes + "\n");
}

TEST_P(JobQueueTest, AFileWithoutLinesIsDoneAtOnce) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "");
  EXPECT_EQ(status(queue, id).state, JobState::kDone);
  EXPECT_FALSE(queue.take("w", kLong));
}

TEST_P(JobQueueTest, AnUploadThatBreaksOffLeavesNothing) {
  JobQueue queue = make_queue();
  {
    JobUpload upload = queue.start_upload("", {});
    upload.append({{1, "a\n"}});
    EXPECT_THAT(queue.list("", 10), IsEmpty());
    EXPECT_FALSE(queue.take("w", kLong));
  }
  EXPECT_EQ(count(queue, "dietmt_jobs"), 0);
  EXPECT_EQ(count(queue, "dietmt_chunks"), 0);
}

TEST_P(JobQueueTest, OwnersSeeTheirOwnJobs) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n", 1, {}, "alice");
  EXPECT_TRUE(queue.find("alice", id));
  EXPECT_FALSE(queue.find("bob", id));
  EXPECT_FALSE(queue.find("", id));
  EXPECT_THAT(queue.list("bob", 10), IsEmpty());
  EXPECT_FALSE(queue.cancel("bob", id));
  EXPECT_TRUE(queue.cancel("alice", id));
  EXPECT_FALSE(queue.remove("bob", id));
  EXPECT_TRUE(queue.remove("alice", id));
}

TEST_P(JobQueueTest, ListsAreNewestFirstPageByPage) {
  JobQueue queue = make_queue();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(submit(queue, "a\n"));
  std::vector<std::string> listed;
  std::string before;
  for (size_t size : {2U, 2U, 1U, 0U}) {
    const std::vector<JobStatus> page = queue.list("", 2, before);
    ASSERT_EQ(page.size(), size);
    for (const JobStatus& job : page) listed.push_back(job.id);
    if (!page.empty()) before = page_end(page.back());
  }
  EXPECT_EQ(listed, std::vector<std::string>(ids.rbegin(), ids.rend()));
  EXPECT_THROW(queue.list("", 2, "x"), RequestError);
  EXPECT_THROW(queue.list("", 2, "99999999999999999999-x"), RequestError);
}

TEST_P(JobQueueTest, AnExpiredLeaseGoesToAnother) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n");
  const TakenChunk first = queue.take("w1", kShort).value();
  EXPECT_TRUE(queue.is_wanted(first));
  EXPECT_FALSE(queue.take("w2", kLong));
  std::this_thread::sleep_for(kLonger);
  const TakenChunk second = queue.take("w2", kLong).value();
  EXPECT_EQ(second.input.text, "a\n");
  EXPECT_FALSE(queue.is_wanted(first));
  EXPECT_FALSE(queue.renew(first, kLong));
  EXPECT_FALSE(queue.complete(first, {"first\n", {}}));
  queue.release(first);  // is not its to release
  EXPECT_FALSE(queue.take("w3", kLong));
  EXPECT_TRUE(queue.complete(second, {"second\n", {}}));
  EXPECT_EQ(result(queue, id), "second\n");
  EXPECT_EQ(status(queue, id).lines_done, 1);
}

TEST_P(JobQueueTest, ARenewedLeaseStays) {
  JobQueue queue = make_queue();
  submit(queue, "a\n");
  const TakenChunk chunk = queue.take("w1", kShort).value();
  EXPECT_TRUE(queue.renew(chunk, kLong));
  std::this_thread::sleep_for(kLonger);
  EXPECT_FALSE(queue.take("w2", kLong));
}

TEST_P(JobQueueTest, ALateWorkerWhoseChunkNobodyTookMayStillStoreIt) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n");
  const TakenChunk chunk = queue.take("w1", 1ms).value();
  std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(queue.complete(chunk, {"A\n", {}}));
  EXPECT_EQ(status(queue, id).state, JobState::kDone);
}

TEST_P(JobQueueTest, StoringTwiceCountsOnce) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\nb\n", 1);
  const TakenChunk chunk = queue.take("w", kLong).value();
  EXPECT_TRUE(queue.complete(chunk, {"A\n", {{1, "bad"}}}));
  EXPECT_TRUE(queue.complete(chunk, {"A\n", {{1, "bad"}}}));
  EXPECT_EQ(status(queue, id).lines_done, 1);
  EXPECT_EQ(status(queue, id).bad_lines, 1);
  EXPECT_EQ(status(queue, id).state, JobState::kRunning);
}

TEST_P(JobQueueTest, AChunkThatFailsThreeTimesFailsItsJob) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\nb\nc\n", 2);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(status(queue, id).state, attempt == 1 ? JobState::kQueued : JobState::kRunning);
    std::optional<TakenChunk> chunk;
    while (!(chunk = queue.take("w", kLong)) || chunk->number != 0)
      if (chunk) queue.release(*chunk);
    queue.report_failure(*chunk, "no \xFF memory"s + '\0');
  }
  const JobStatus job = status(queue, id);
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.error,
            "lines 1 to 2 could not be translated in 3 attempts: no \xEF\xBF\xBD memory");
  EXPECT_TRUE(job.finished);
  EXPECT_FALSE(queue.take("w", kLong));
}

TEST_P(JobQueueTest, AFailedChunkRestsBeforeItIsTriedAgain) {
  JobQueue queue = make_queue({3, 100ms, 3});
  submit(queue, "a\n");
  queue.report_failure(queue.take("w", kLong).value(), "reason");
  EXPECT_FALSE(queue.take("w", kLong));
  std::this_thread::sleep_for(200ms);
  EXPECT_TRUE(queue.take("w", kLong));
}

TEST_P(JobQueueTest, AChunkThatEndsItsWorkersFailsItsJob) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(queue.take("w", 1ms));
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_FALSE(queue.take("w", kLong));
  EXPECT_EQ(status(queue, id).state, JobState::kFailed);
  EXPECT_THAT(status(queue, id).error, HasSubstr("3 workers disappeared"));
}

TEST_P(JobQueueTest, AReleasedChunkIsAsItWas) {
  JobQueue queue = make_queue();
  submit(queue, "a\n");
  for (int i = 0; i < 10; ++i) {
    const auto chunk = queue.take("w", kLong);
    ASSERT_TRUE(chunk);
    queue.release(*chunk);
  }
}

TEST_P(JobQueueTest, ACancelledJobIsNotWanted) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\nb\nc\n", 1);
  const TakenChunk first = queue.take("w", kLong).value();
  EXPECT_TRUE(queue.complete(first, {"A\n", {}}));
  const TakenChunk second = queue.take("w", kLong).value();
  EXPECT_FALSE(queue.remove("", id));
  EXPECT_TRUE(queue.cancel("", id));
  EXPECT_FALSE(queue.cancel("", id));
  EXPECT_FALSE(queue.is_wanted(second));
  EXPECT_FALSE(queue.take("w", kLong));
  EXPECT_EQ(status(queue, id).state, JobState::kCancelled);
  EXPECT_EQ(result(queue, id), "A\n");
  EXPECT_TRUE(queue.remove("", id));
  EXPECT_FALSE(queue.complete(second, {"B\n", {}}));
  EXPECT_EQ(count(queue, "dietmt_chunks"), 0);
  EXPECT_FALSE(queue.find("", id));
}

TEST_P(JobQueueTest, JobsTakeTurns) {
  JobQueue queue = make_queue();
  const std::string large = submit(queue, "a\nb\nc\nd\ne\n", 1);
  EXPECT_EQ(queue.take("w", kLong)->job, large);
  EXPECT_EQ(queue.take("w", kLong)->job, large);
  const std::string small = submit(queue, "x\ny\n", 1);
  std::vector<std::string> order;
  while (const auto chunk = queue.take("w", kLong)) order.push_back(chunk->job);
  EXPECT_THAT(order, ElementsAre(small, large, small, large, large));
}

TEST_P(JobQueueTest, TheChunksOfADeadProcessAreFreeAtOnce) {
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
  EXPECT_FALSE(queue.take("w", kLong));  // that of the living process
}

TEST_P(JobQueueTest, WorkersOfOtherMachinesAreNotJudged) {
  EXPECT_FALSE(is_dead_process_of_this_machine("0000-1111:4026531836:1:2:0"));
  EXPECT_FALSE(is_dead_process_of_this_machine(""));
  EXPECT_FALSE(is_dead_process_of_this_machine(process_identity() + ":7"));
}

TEST_P(JobQueueTest, JobsExpire) {
  JobQueue queue = make_queue();
  const std::string ended = submit(queue, "");
  const std::string open = submit(queue, "a\n");
  queue.remove_expired(1h);
  EXPECT_TRUE(queue.find("", ended));
  std::this_thread::sleep_for(5ms);
  queue.remove_expired(0s);
  EXPECT_FALSE(queue.find("", ended));
  EXPECT_TRUE(queue.find("", open));

  JobUpload upload = queue.start_upload("", {});
  upload.append({{1, "a\n"}});
  queue.remove_expired(0s);
  upload.append({{1, "b\n"}});
  queue.database().execute(
      "UPDATE dietmt_jobs SET touched = touched - 3700000000 "
      "WHERE state = 'uploading'");
  queue.remove_expired(0s);
  EXPECT_THROW(upload.finish(), Error);
  EXPECT_EQ(count(queue, "dietmt_chunks"), 1);
}

TEST_P(JobQueueTest, RemovedJobsFreeTheDisk) {
  if (GetParam() == "postgresql") GTEST_SKIP() << "autovacuum does this, in its own time";
  JobQueue queue = make_queue();
  const auto pages = [&] {
    return queue.database().execute("PRAGMA page_count").rows.at(0).integer(0);
  };
  const int64_t before = pages();
  const std::string id = submit(queue, std::string(1'000'000, 'x') + "\n");
  EXPECT_GT(pages(), before + 200);
  queue.cancel("", id);
  std::this_thread::sleep_for(5ms);
  queue.remove_expired(0s);
  EXPECT_LT(pages(), before + 20);
}

TEST_P(JobQueueTest, AnotherProcessSeesTheSameJobs) {
  std::string id;
  {
    JobQueue queue = make_queue();
    id = submit(queue, "a\n");
  }
  JobQueue queue = make_queue();
  EXPECT_EQ(status(queue, id).lines, 1);
}

TEST_P(JobQueueTest, TablesOfANewerVersionAreRefused) {
  make_queue().database().execute("UPDATE dietmt_schema SET version = 99");
  try {
    make_queue();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("newer dietmt (version 99"));
  }
}

TEST_P(JobQueueTest, AtOnceManyThreadsTakeEachChunkOnce) {
  JobQueue queue = make_queue();
  std::string text;
  for (int i = 0; i < 60; ++i) text += std::to_string(i) + "\n";
  const std::string ids[] = {submit(queue, text, 1), submit(queue, text, 1)};
  JobQueue other = make_queue();
  std::atomic<int> completed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      JobQueue& mine = i % 2 == 0 ? queue : other;
      while (mine.find("", ids[0])->state != JobState::kDone ||
             mine.find("", ids[1])->state != JobState::kDone)
        if (const auto chunk = mine.take("w" + std::to_string(i), kLong))
          if (mine.complete(*chunk, {"<" + chunk->input.text, {}})) ++completed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completed, 120);
  std::string expected;
  for (int i = 0; i < 60; ++i) expected += "<" + std::to_string(i) + "\n";
  for (const std::string& id : ids) {
    EXPECT_EQ(result(queue, id), expected);
    EXPECT_EQ(status(queue, id).lines_done, 60);
  }
}

TEST_P(JobQueueTest, ManyProcessesMayStartAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> opened = 0;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] {
      make_queue();
      ++opened;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened, 6);
}

TEST_P(JobQueueTest, LostConnectionsAreReplaced) {
  if (GetParam() != "postgresql") GTEST_SKIP() << "SQLite has no connection to lose";
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n");
  open()->execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
      "AND datname = current_database()");
  EXPECT_EQ(status(queue, id).lines, 1);
  EXPECT_TRUE(queue.take("w", kLong));
}

TEST_P(JobQueueTest, WorkThatThrowsIsUndone) {
  JobQueue queue = make_queue();
  submit(queue, "a\n");
  EXPECT_THROW(queue.database().transaction([](SqlConnection& connection) {
    connection.execute("DELETE FROM dietmt_chunks");
    throw Error("changed my mind");
    return 0;
  }),
               Error);
  EXPECT_EQ(count(queue, "dietmt_chunks"), 1);
}

INSTANTIATE_TEST_SUITE_P(Databases, JobQueueTest, both_databases(), database_name);

TEST(OpenJobDatabaseTest, PlacesThatAreNone) {
  EXPECT_THROW(open_job_database("mysql://host/db", "unused"), ConfigError);
  EXPECT_THROW(open_job_database("postgresql://host/mt?nonsense=1", "unused"), ConfigError);
  EXPECT_THROW(JobQueue(open_job_database("postgresql:///x?host=/nonexistent", "unused")),
               DatabaseUnavailableError);
}

TEST(OpenJobDatabaseTest, PasswordsAreNotShown) {
  const auto database = open_job_database("postgresql://me:secret@db.example/mt", "unused");
  EXPECT_EQ(database->name(), "postgresql://db.example/mt");
}

}  // namespace
}  // namespace dietmt::service
