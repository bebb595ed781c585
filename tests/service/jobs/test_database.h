// Tests that run on both databases.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "service/jobs/job_queue.h"
#include "tests/common/scratch.h"

namespace dietmt::service {

/// A queue on a fresh database; the parameter is its kind. Skips if the database is not installed.
class DatabaseTest : public ScratchTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override;

  /// For --queue: empty for SQLite.
  const std::string& queue_uri() const { return queue_uri_; }

  /// Another connection to the database, as from another process.
  std::unique_ptr<SqlDatabase> open() const { return open_job_database(queue_uri_, scratch()); }

  /// Queues `text` in chunks of `chunk_lines` lines. Returns the job's id.
  std::string submit(JobQueue& queue, const std::string& text, int chunk_lines = 2,
                     const JobOptions& options = {}, const std::string& owner = "") const;

  /// The outputs of all finished chunks, in order.
  static std::string result(JobQueue& queue, const std::string& id);

 private:
  std::string queue_uri_;
};

/// For INSTANTIATE_TEST_SUITE_P.
inline auto both_databases() { return ::testing::Values("sqlite", "postgresql"); }
inline std::string database_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace dietmt::service
