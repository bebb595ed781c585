#include "service/jobs/job_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "common/error.h"
#include "service/scheduling/scheduling_errors.h"
#include "tests/common/soon.h"
#include "tests/common/thread_limit.h"
#include "tests/service/jobs/fake_translator.h"
#include "tests/service/jobs/test_database.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

using Lines = std::vector<Translation>;
using Cancelled = std::function<bool()>;

class JobWorkerTest : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    if (!IsSkipped()) queue_ = std::make_unique<JobQueue>(open(), RetryPolicy{3, 1ms, 3});
  }

  // Looks for work often. No lease expires, however slow the machine is.
  static JobWorkerOptions quick(int64_t threads = 2) { return {threads, 600s, 10ms}; }

  JobState state(const std::string& id) { return queue_->find("", id)->state; }

  std::unique_ptr<JobQueue> queue_;
};

Lines translate(const JobOptions&, const ConnectedTexts& lines, const Cancelled&) {
  return fake_translations(lines);
}

TEST_P(JobWorkerTest, WorksOnWhatIsThereAndWhatComes) {
  const std::string first = submit(*queue_, "a\n\nb\n\xFF\n", 2);
  const JobWorker worker(*queue_, translate, quick());
  EXPECT_TRUE(soon([&] { return state(first) == JobState::kDone; }));
  EXPECT_EQ(result(*queue_, first), "<a>\n\n<b>\n\xFF\n");
  EXPECT_EQ(queue_->find("", first)->bad_lines, 1);
  EXPECT_EQ(queue_->bad_lines(first, 10).at(0).line, 4);
  const std::string second = submit(*queue_, "c\n");
  EXPECT_TRUE(soon([&] { return state(second) == JobState::kDone; }));
}

TEST_P(JobWorkerTest, ASmallJobDoesNotWaitForLargeOnesOfAnotherClient) {
  std::atomic<bool> is_over = false;
  const auto slow = [&](const JobOptions& options, const ConnectedTexts& lines, const Cancelled&) {
    if (options.client == "many") is_over.wait(false);
    return fake_translations(lines);
  };
  for (int i = 0; i < 4; ++i) submit(*queue_, std::string(kSmallChunk, 'a') + "\n", 1, {}, "many");
  const JobWorker worker(*queue_, slow, quick());
  const auto in_progress = [&] {
    return queue_->database()
        .execute("SELECT COUNT(*) FROM dietmt_chunks WHERE lease IS NOT NULL")
        .rows.at(0)
        .integer(0);
  };
  EXPECT_TRUE(soon([&] { return in_progress() == 2; }));
  const std::string small = submit(*queue_, "a\n", 1, {}, "few");
  EXPECT_TRUE(soon([&] { return queue_->find("few", small)->state == JobState::kDone; }));
  EXPECT_EQ(in_progress(), 3);  // the small one keeps its lease
  is_over = true;
  is_over.notify_all();
}

TEST_P(JobWorkerTest, LooksForWorkWhenItIsWoken) {
  JobWorker worker(*queue_, translate, {2, 600s, 600s});
  std::this_thread::sleep_for(50ms);  // usually it waits then
  const std::string id = submit(*queue_, "a\n");
  worker.wake();
  EXPECT_TRUE(soon([&] { return state(id) == JobState::kDone; }));
}

TEST_P(JobWorkerTest, ManyWorkersMakeOneFile) {
  const std::string id = submit(*queue_, numbered_lines(1, 300), 7);
  JobQueue other(open());
  const JobWorker workers[] = {{*queue_, translate, quick(3)}, {other, translate, quick(3)}};
  EXPECT_TRUE(soon([&] { return state(id) == JobState::kDone; }));
  EXPECT_EQ(result(*queue_, id), numbered_lines(1, 300, "<line ", ">\n"));
}

TEST_P(JobWorkerTest, ALeaseIsRenewedWhileItsChunkIsTranslated) {
  std::atomic<int> calls = 0;
  const auto lease_end = [&] {
    return queue_->database().execute("SELECT free_from FROM dietmt_chunks").rows.at(0).integer(0);
  };
  const auto slow = [&](const JobOptions&, const ConnectedTexts& lines, const Cancelled&) {
    ++calls;
    const int64_t first = lease_end();
    EXPECT_TRUE(soon([&] { return lease_end() > first + 3'000'000; })) << "not twice";
    return fake_translations(lines);
  };
  const std::string id = submit(*queue_, "a\n");
  const JobWorker worker(*queue_, slow, {.threads = 2, .lease = 6s, .poll = 10ms});
  EXPECT_TRUE(soon([&] { return state(id) == JobState::kDone; }));
  EXPECT_EQ(calls, 1);
}

TEST_P(JobWorkerTest, CancellingReachesTheTranslatorSoon) {
  std::atomic<bool> started = false;
  std::atomic<bool> ended = false;
  const auto endless = [&](const JobOptions&, const ConnectedTexts& lines,
                           const Cancelled& cancelled) {
    started = true;
    while (!cancelled()) std::this_thread::sleep_for(1ms);
    ended = true;
    return unchanged(lines);
  };
  const std::string id = submit(*queue_, "a\n");
  const JobWorker worker(*queue_, endless, quick());
  EXPECT_TRUE(soon([&] { return started.load(); }));
  EXPECT_TRUE(queue_->cancel("", id));
  EXPECT_TRUE(soon([&] { return ended.load(); })) << "long before the lease ends";
  EXPECT_EQ(state(id), JobState::kCancelled);
  EXPECT_EQ(result(*queue_, id), "");
}

TEST_P(JobWorkerTest, AStoppedWorkerGivesItsChunksBack) {
  const std::string id = submit(*queue_, "a\nb\n", 1);
  for (int i = 0; i < 5; ++i) {  // more often than leases may be lost or attempts fail
    std::atomic<int> started = 0;
    JobWorker worker(
        *queue_,
        [&](const JobOptions&, const ConnectedTexts& lines, const Cancelled& cancelled) {
          ++started;
          while (!cancelled()) std::this_thread::sleep_for(1ms);
          return i % 2 == 0 ? unchanged(lines) : throw Error("cancelled");
        },
        quick());
    EXPECT_TRUE(soon([&] { return started == 2; }));
    worker.request_stop();
    EXPECT_TRUE(soon([&] { return worker.has_ended(); }));
  }
  const JobWorker worker(*queue_, translate, quick());
  EXPECT_TRUE(soon([&] { return state(id) == JobState::kDone; }));
  EXPECT_EQ(result(*queue_, id), "<a>\n<b>\n");
}

TEST_P(JobWorkerTest, AChunkThatIsTranslatedWhenTheWorkerStopsIsStored) {
  std::atomic<bool> started = false;
  std::atomic<bool> finish = false;
  const std::string id = submit(*queue_, "a\n");
  JobWorker worker(
      *queue_,
      [&](const JobOptions&, const ConnectedTexts& lines, const Cancelled&) {
        started = true;
        while (!finish) std::this_thread::sleep_for(1ms);
        return fake_translations(lines);
      },
      quick());
  EXPECT_TRUE(soon([&] { return started.load(); }));
  worker.request_stop();
  EXPECT_FALSE(worker.has_ended());
  finish = true;
  EXPECT_TRUE(soon([&] { return worker.has_ended(); }));
  EXPECT_EQ(result(*queue_, id), "<a>\n");
  EXPECT_EQ(state(id), JobState::kDone);
}

TEST_P(JobWorkerTest, AnErrorOfTheTranslatorIsTriedAgain) {
  std::atomic<int> calls = 0;
  const auto moody = [&](const JobOptions&, const ConnectedTexts& lines, const Cancelled&) {
    if (++calls < 3) throw Error("not today");
    return fake_translations(lines);
  };
  const std::string id = submit(*queue_, "a\n");
  const JobWorker worker(*queue_, moody, quick());
  EXPECT_TRUE(soon([&] { return has_ended(state(id)); }));
  EXPECT_EQ(state(id), JobState::kDone);
  EXPECT_EQ(calls, 3);
}

// More often than attempts may fail.
TEST_P(JobWorkerTest, AModelThatCannotBeLoadedIsWaitedFor) {
  std::atomic<int> calls = 0;
  const auto late = [&](const JobOptions&, const ConnectedTexts& lines, const Cancelled&) {
    if (++calls < 6) throw Unavailable("the model cannot be loaded", 0);
    return fake_translations(lines);
  };
  const std::string id = submit(*queue_, "a\n");
  const JobWorker worker(*queue_, late, quick());
  EXPECT_TRUE(soon([&] { return has_ended(state(id)); }));
  EXPECT_EQ(state(id), JobState::kDone);
  EXPECT_EQ(calls, 6);
}

TEST_P(JobWorkerTest, AWorkerWithoutTheModelLeavesTheJobToOthers) {
  std::atomic<int> calls = 0;
  const auto broken = [&](const JobOptions& options, const ConnectedTexts& lines,
                          const Cancelled&) {
    if (options.model == "other") return fake_translations(lines);
    ++calls;
    throw Unavailable("the model cannot be loaded", 600);
  };
  const std::string id = submit(*queue_, numbered_lines(1, 20), 1);
  const JobWorker worker(*queue_, broken, quick(2));
  EXPECT_TRUE(soon([&] { return calls > 0; }));
  JobOptions other;
  other.model = "other";
  JobUpload upload = queue_->start_upload({}, other);
  upload.append({{1, "a\n"}});
  const std::string second = upload.finish();
  EXPECT_TRUE(soon([&] { return state(second) == JobState::kDone; }));
  EXPECT_EQ(state(id), JobState::kRunning);
  JobQueue shared(open());
  const JobWorker able(shared, translate, quick(1));
  EXPECT_TRUE(soon([&] { return state(id) == JobState::kDone; }));
  EXPECT_LE(calls, 3);  // one per thread, and one of the thread for small chunks
}

TEST_P(JobWorkerTest, AnErrorThatStaysFailsOnlyItsJob) {
  const auto picky = [&](const JobOptions&, const ConnectedTexts& lines, const Cancelled&) {
    if (lines.texts[0].text == "bad") throw Error("/srv/models/en-de: out of memory");
    if (lines.texts[0].text == "refused") throw RequestError("there is no such model");
    return fake_translations(lines);
  };
  const std::string bad = submit(*queue_, "good\nbad\n", 1);
  const std::string refused = submit(*queue_, "refused\n", 1);
  const std::string good = submit(*queue_, "a\nb\n", 1);
  const JobWorker worker(*queue_, picky, quick());
  EXPECT_TRUE(soon([&] {
    return has_ended(state(bad)) && has_ended(state(refused)) && has_ended(state(good));
  }));
  EXPECT_EQ(state(bad), JobState::kFailed);
  EXPECT_EQ(queue_->find("", bad)->error,
            "lines 2 to 2 could not be translated in 3 attempts: the translation failed; the "
            "server's log says why");
  EXPECT_EQ(queue_->find("", refused)->error,
            "lines 1 to 1 could not be translated in 3 attempts: there is no such model");
  EXPECT_EQ(state(good), JobState::kDone);
}

TEST_P(JobWorkerTest, SaysHowManyThreadsTheSystemCouldStart) {
  if (!ThreadLimit::works()) GTEST_SKIP() << "sanitizers reserve the whole address space";
  const ThreadLimit few;
  EXPECT_THAT(
      [&] { const JobWorker worker(*queue_, translate, quick(1000)); },
      testing::ThrowsMessage<Error>(testing::AllOf(HasSubstr(" of 1001 threads for batch jobs ("),
                                                   HasSubstr("lower --job-threads"))));
}

INSTANTIATE_TEST_SUITE_P(Databases, JobWorkerTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
