#include "service/jobs/job_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/service/jobs/job_queue_fixture.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

  EXPECT_TRUE(queue.complete(taken[2], {"E\n", {{5, "bad"}}, 1, {5}}));
  EXPECT_TRUE(queue.complete(taken[0], {"A\nB\n", {}}));
  EXPECT_EQ(result(queue, id), "A\nB\n");
  job = status(queue, id);
  EXPECT_EQ(job.lines_done, 3);
  EXPECT_EQ(job.state, JobState::kRunning);

  EXPECT_TRUE(queue.complete(taken[1], {"C\nD\n", {{3, "worse"}}, 2, {3, 4}, {4}}));
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
  EXPECT_EQ(job.cut_lines, 3);
  EXPECT_THAT(queue.cut_lines(id, 10), testing::ElementsAre(3, 4, 5));
  EXPECT_THAT(queue.cut_lines(id, 2), testing::ElementsAre(3, 4));
  EXPECT_EQ(job.guarded_lines, 1);
  EXPECT_THAT(queue.guarded_lines(id, 10), testing::ElementsAre(4));
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
    JobUpload upload = queue.start_upload({}, {});
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

TEST_P(JobQueueTest, AClientHasAQuotaOfUnfinishedJobs) {
  JobQueue queue = make_queue();
  const JobQuota quota = {.jobs = 2};
  const JobClient alice = {"alice", "10.0.0.1"};
  const std::string first = queue.start_upload(alice, {}, quota).finish();  // done: has no lines
  JobUpload second = queue.start_upload(alice, {}, quota);
  second.append({{1, "a\n"}});
  JobUpload third = queue.start_upload({"alice", "10.0.0.2"}, {}, quota);
  try {
    queue.start_upload(alice, {}, quota);
    FAIL() << "accepted";
  } catch (const JobQuotaError& error) {
    EXPECT_STREQ(error.what(),
                 "the unfinished jobs of this API key would exceed its limit of 2 jobs; wait until "
                 "some of them have ended, or cancel them");
  }
  queue.start_upload({"bob", "10.0.0.1"}, {}, quota);
  EXPECT_TRUE(queue.cancel("alice", second.finish()));
  queue.start_upload(alice, {}, quota);
  queue.start_upload(alice, {}, {});
}

std::string submit_for(JobQueue& queue, const JobClient& client, const ChunkText& chunk) {
  JobUpload upload = queue.start_upload(client, {});
  upload.append({chunk});
  return upload.finish();
}

// The message of start_upload() or append().
std::string refusal(JobQueue& queue, const JobClient& client, const JobQuota& quota,
                    const ChunkText& chunk) {
  try {
    queue.start_upload(client, {}, quota).append({chunk});
    return "none";
  } catch (const RequestError& error) {
    return error.what();
  }
}

TEST_P(JobQueueTest, AClientHasAQuotaPerDay) {
  JobQueue queue = make_queue();
  const JobClient alice = {"alice", "10.0.0.1"};
  submit_for(queue, alice, {2, "a\nb\n"});
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal(queue, alice, {.day_jobs = 1}, {1, "c\n"}),
              HasSubstr("of this API key would exceed its limit of 1 jobs per day"));
  EXPECT_THAT(refusal(queue, alice, {.day_lines = 2}, {1, "c\n"}), HasSubstr("2 lines per day"));
  EXPECT_THAT(refusal(queue, alice, {.day_bytes = 5}, {1, "c\n"}), HasSubstr("5 bytes per day"));
  EXPECT_EQ(refusal(queue, alice, {.day_jobs = 2, .day_lines = 3, .day_bytes = 6}, {1, "c\n"}),
            "none");
  EXPECT_EQ(refusal(queue, {"bob", ""}, {.day_jobs = 1, .day_lines = 1}, {1, "c\n"}), "none");
}

TEST_P(JobQueueTest, RemovedJobsCountForTheirDay) {
  JobQueue queue = make_queue();
  const JobClient alice = {"alice", ""};
  const std::string id = submit_for(queue, alice, {1, "a\n"});
  queue.cancel("alice", id);
  EXPECT_TRUE(queue.remove("alice", id));
  EXPECT_NE(refusal(queue, alice, {.day_jobs = 1}, {1, "b\n"}), "none");
}

TEST_P(JobQueueTest, TranslatedTokensCountForTheDay) {
  JobQueue queue = make_queue();
  const JobClient alice = {"alice", ""};
  submit_for(queue, alice, {1, "a\n"});
  const JobQuota quota = {.day_tokens = 10};
  EXPECT_EQ(refusal(queue, alice, quota, {1, "b\n"}), "none");
  queue.complete(queue.take("w", kLong).value(), {"A\n", {}, 10});
  EXPECT_THAT(refusal(queue, alice, quota, {1, "b\n"}),
              ::testing::HasSubstr("10 source tokens per day"));
}

TEST_P(JobQueueTest, AllClientsHaveACommonBound) {
  JobQueue queue = make_queue();
  submit_for(queue, {"alice", ""}, {2, "a\nb\n"});
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal(queue, {"bob", ""}, {.all_lines = 2}, {1, "c\n"}),
              HasSubstr("of all clients would exceed this server's limit of 2 lines"));
  EXPECT_THAT(refusal(queue, {"bob", ""}, {.all_bytes = 5}, {1, "c\n"}), HasSubstr("5 bytes"));
  EXPECT_EQ(refusal(queue, {"bob", ""}, {.all_lines = 3, .all_bytes = 6}, {1, "c\n"}), "none");
}

TEST_P(JobQueueTest, AClientHasAQuotaOfLinesAndBytes) {
  JobQueue queue = make_queue();
  const JobClient client = {"", "10.0.0.1"};
  JobUpload first = queue.start_upload(client, {}, {.lines = 3, .bytes = 100});
  first.append({{2, "a\nb\n"}});
  const std::string id = first.finish();
  {
    JobUpload second = queue.start_upload(client, {}, {.lines = 3, .bytes = 100});
    second.append({{1, "c\n"}});
    try {
      second.append({{1, "d\n"}});
      FAIL() << "accepted";
    } catch (const JobQuotaError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("of this address would exceed its limit of 3 "
                                                     "lines"));
    }
    EXPECT_EQ(count(queue, "dietmt_chunks"), 2);
    JobUpload third = queue.start_upload(client, {}, {.bytes = 11});
    third.append({{1, "1234\n"}});
    EXPECT_THROW(third.append({{1, "\n"}}), JobQuotaError);
  }
  while (const auto chunk = queue.take("w", kLong)) queue.complete(*chunk, {"A\nB\n", {}});
  EXPECT_EQ(status(queue, id).state, JobState::kDone);
  queue.start_upload(client, {}, {.lines = 3}).append({{3, "a\nb\nc\n"}});
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

TEST_P(JobQueueTest, ClientsTakeTurns) {
  JobQueue queue = make_queue();
  std::vector<std::string> many;
  for (int i = 0; i < 3; ++i) many.push_back(submit(queue, "a\n", 1, {}, "many"));
  const std::string few = submit(queue, "a\nb\n", 1, {}, "few");
  const auto taken = [&] {
    const std::optional<TakenChunk> chunk = queue.take("w", kLong);
    queue.complete(*chunk, {"A\n", {}});
    return chunk->job;
  };
  EXPECT_EQ(taken(), many[0]);
  EXPECT_EQ(taken(), few);
  EXPECT_EQ(taken(), many[1]);  // although its other job has ended
  EXPECT_EQ(taken(), few);
  EXPECT_EQ(taken(), many[2]);
  EXPECT_FALSE(queue.take("w", kLong));
}

TEST_P(JobQueueTest, SmallChunksOfClientsWhoHaveNoneInProgressCanBeTakenAlone) {
  JobQueue queue = make_queue();
  submit(queue, std::string(kSmallChunk, 'a') + "\n", 1, {}, "large");
  const std::string first = submit(queue, "a\n", 1, {}, "first");
  submit(queue, "a\n", 1, {}, "first");
  const std::string second =
      submit(queue, std::string(kSmallChunk - 1, 'a') + "\n", 1, {}, "second");
  const auto take = [&](Take which) { return queue.take("w", kLong, {}, which); };
  EXPECT_EQ(take(Take::kSmall).value().job, first);
  EXPECT_EQ(take(Take::kSmall).value().job, second);
  EXPECT_EQ(take(Take::kSmall).has_value(), false);
  EXPECT_TRUE(take(Take::kAll));
  EXPECT_TRUE(take(Take::kAll));
  EXPECT_FALSE(take(Take::kAll));
}

TEST_P(JobQueueTest, AChunkNamesItsClient) {
  JobQueue queue = make_queue();
  submit(queue, "a\n", 1, {}, "one");
  const JobOptions options = queue.take("w", kLong).value().options;
  EXPECT_EQ(options.owner, "one");
  EXPECT_EQ(options.client, "one");
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

  JobUpload upload = queue.start_upload({}, {});
  upload.append({{1, "a\n"}});
  queue.remove_expired(0s);
  upload.append({{1, "b\n"}});
  queue.database().execute(
      "UPDATE dietmt_jobs SET touched = touched - 3700000000 "
      "WHERE state = 'uploading'");
  queue.remove_expired(0s);
  EXPECT_THROW(upload.append({{1, "c\n"}}), Error);
  EXPECT_THROW(upload.finish(), Error);
  EXPECT_EQ(count(queue, "dietmt_chunks"), 1);
}

// The clock advances during a sweep, so jobs can expire between two statements.
TEST_P(JobQueueTest, JobsThatExpireDuringASweepLeaveNoChunks) {
  JobQueue queue = make_queue();
  for (int i = 0; i < 100; ++i) submit(queue, "a\n");
  queue.database().execute(
      "UPDATE dietmt_jobs SET state = 'done', "
      "finished = dietmt_now() + created - (SELECT MIN(created) FROM dietmt_jobs)");
  while (count(queue, "dietmt_jobs") > 0) queue.remove_expired(0s);
  EXPECT_EQ(count(queue, "dietmt_chunks"), 0);
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

TEST_P(JobQueueTest, ARemovedJobFreesTheDiskAtOnce) {
  if (GetParam() == "postgresql") GTEST_SKIP() << "autovacuum does this, in its own time";
  JobQueue queue = make_queue();
  const auto bytes = [&] {
    uint64_t sum = 0;
    for (const std::string& name : names()) sum += std::filesystem::file_size(scratch() / name);
    return sum;
  };
  const std::string kept = submit(queue, "a\n");
  const std::string id = submit(queue, std::string(20'000'000, 'x') + "\n");
  EXPECT_GT(bytes(), 20'000'000U);
  queue.cancel("", id);
  EXPECT_TRUE(queue.remove("", id));
  EXPECT_LT(bytes(), 1'000'000U) << "of the database and its log";
  EXPECT_TRUE(queue.find("", kept));
}

TEST_P(JobQueueTest, AJobAndItsShareOfTheDayAreStoredTogether) {
  JobQueue queue = make_queue();
  const JobClient alice = {"alice", ""};
  JobUpload upload = queue.start_upload(alice, {});
  upload.append({{1, "a\n"}});
  queue.database().execute("DELETE FROM dietmt_jobs WHERE state = 'uploading'");
  EXPECT_THROW(upload.finish(), Error);
  EXPECT_EQ(refusal(queue, alice, {.day_jobs = 1}, {1, "b\n"}), "none");
}

TEST_P(JobQueueTest, UploadsAtTheSameTimeCannotExceedADay) {
  JobQueue queue = make_queue();
  const JobClient alice = {"alice", ""};
  const JobQuota quota = {.day_jobs = 1, .day_lines = 1};
  JobUpload first = queue.start_upload(alice, {}, quota);
  JobUpload second = queue.start_upload(alice, {}, quota);
  first.append({{1, "a\n"}});
  second.append({{1, "b\n"}});
  EXPECT_NO_THROW(first.finish());
  EXPECT_THROW(second.finish(), JobQuotaError);
}

INSTANTIATE_TEST_SUITE_P(Databases, JobQueueTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
