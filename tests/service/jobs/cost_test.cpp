// Lists of jobs and their lines take time in proportion to their size.
#include "common/error.h"
#include "tests/common/cpu_cost.h"
#include "tests/service/jobs/job_queue_fixture.h"

namespace dietmt::service {
namespace {

class JobCostTest : public ScratchTest {
 protected:
  // A queue with `count` jobs of one line.
  std::shared_ptr<JobQueue> filled(size_t count) const {
    auto queue = std::make_shared<JobQueue>(open_sqlite(scratch() / std::to_string(count)));
    const std::string options = JobOptions().to_json().dump();
    queue->database().transaction([&](SqlConnection& connection) {
      for (size_t i = 0; i < count; ++i)
        connection.execute(
            "INSERT INTO dietmt_jobs (id, owner, client, options, state, lines, bytes, chunks, "
            "lines_done, chunks_done, bad_lines, created, touched) "
            "VALUES ($1, '', 'a', $2, 'done', 1, 1, 1, 1, 1, 0, $3, 0)",
            {std::to_string(i), options, static_cast<int64_t>(i / 100)});
      return true;
    });
    return queue;
  }
};

TEST_F(JobCostTest, OfReadingAllPages) {
  const auto read_all = [](const std::shared_ptr<JobQueue>& queue) {
    size_t jobs = 0;
    std::string before;
    while (true) {
      const std::vector<JobStatus> page = queue->list("", 100, before);
      jobs += page.size();
      if (page.size() < 100) return jobs;
      before = page_end(page.back());
    }
  };
  EXPECT_EQ(read_all(filled(777)), 777U);
  EXPECT_LE(cost_growth(
                4000, [&](size_t count) { return filled(count); }, read_all),
            kLinearGrowth);
}

}  // namespace
}  // namespace dietmt::service
