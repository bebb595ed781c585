// Shared by tests of the queue: a queue that retries at once, on each database.
#pragma once

#include <chrono>
#include <string>

#include "tests/service/jobs/test_database.h"

namespace dietmt::service {

class JobQueueTest : public DatabaseTest {
 protected:
  // Leases.
  static constexpr std::chrono::milliseconds kLong{60'000};
  static constexpr std::chrono::milliseconds kExpired{0};

  JobQueue make_queue(RetryPolicy policy = {3, std::chrono::milliseconds(1), 3}) const {
    return JobQueue(open(), policy);
  }

  static int64_t count(JobQueue& queue, const std::string& table) {
    return queue.database().execute("SELECT COUNT(*) FROM " + table).rows.at(0).integer(0);
  }

  static JobStatus status(JobQueue& queue, const std::string& id) {
    return queue.find("", id).value();
  }
};

}  // namespace dietmt::service
