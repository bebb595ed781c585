#include "service/jobs/job_metrics.h"

#include <gmock/gmock.h>

#include <map>

#include "tests/common/soon.h"
#include "tests/service/jobs/job_queue_fixture.h"

namespace dietmt::service {
namespace {

using std::chrono::milliseconds;

class JobMetricsTest : public JobQueueTest {
 protected:
  // By name, followed by the value of its label if it has one.
  static std::map<std::string, double> by_name(
      const std::vector<prometheus::MetricFamily>& families) {
    std::map<std::string, double> values;
    for (const prometheus::MetricFamily& family : families) {
      for (const prometheus::ClientMetric& metric : family.metric)
        values[family.name + (metric.label.empty() ? "" : " " + metric.label[0].value)] =
            metric.gauge.value;
    }
    return values;
  }
};

TEST_P(JobMetricsTest, JobsLinesAndLeasesAreCounted) {
  JobQueue queue = make_queue();
  auto values = by_name(job_families(queue));
  for (const char* name : {"dietmt_jobs uploading", "dietmt_jobs queued", "dietmt_jobs done",
                           "dietmt_job_lines_waiting", "dietmt_job_oldest_seconds"})
    EXPECT_EQ(values.at(name), 0.0) << name;
  submit(queue, "a\nb\nc\n", 2);
  const std::string cancelled = submit(queue, "d\n", 2);
  const auto taken = queue.take("w", kLong);
  queue.cancel("", cancelled);
  values = by_name(job_families(queue));
  EXPECT_EQ(values.at("dietmt_jobs running"), 1.0);
  EXPECT_EQ(values.at("dietmt_jobs cancelled"), 1.0);
  EXPECT_EQ(values.at("dietmt_job_lines_waiting"), 3.0);
  EXPECT_EQ(values.at("dietmt_job_chunks_leased"), 1.0);
  EXPECT_GE(values.at("dietmt_job_oldest_seconds"), 0.0);
  EXPECT_LT(values.at("dietmt_job_oldest_seconds"), 60.0);
  queue.complete(*taken, {"A\nB\n", {}});
  values = by_name(job_families(queue));
  EXPECT_EQ(values.at("dietmt_job_lines_waiting"), 1.0);
  EXPECT_EQ(values.at("dietmt_job_chunks_leased"), 0.0);
}

TEST_P(JobMetricsTest, ChunksOfACancelledJobAreNotLeasedForEver) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n");
  ASSERT_TRUE(queue.take("w", kExpired));
  queue.cancel("", id);
  EXPECT_EQ(by_name(job_families(queue)).at("dietmt_job_chunks_leased"), 0.0);
}

TEST_P(JobMetricsTest, TheyFollowTheQueueAndSayWhenItIsDown) {
  JobQueue queue = make_queue();
  const JobMetrics metrics(queue, milliseconds(10));
  const auto value = [&](const char* name) { return by_name(metrics.families())[name]; };
  EXPECT_TRUE(soon([&] { return value("dietmt_job_queue_up") == 1.0; }));
  submit(queue, "a\n", 2);
  EXPECT_TRUE(soon([&] { return value("dietmt_jobs queued") == 1.0; }));
  queue.database().execute("ALTER TABLE dietmt_jobs RENAME TO away");
  EXPECT_TRUE(soon([&] { return value("dietmt_job_queue_up") == 0.0; }));
  EXPECT_EQ(value("dietmt_jobs queued"), 1.0) << "what was seen last";
}

INSTANTIATE_TEST_SUITE_P(Databases, JobMetricsTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
