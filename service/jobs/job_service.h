// Batch jobs for the users of a server, without HTTP: files in, files out. Used by the routes of
// /v1/jobs (job_routes.h).
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "common/error.h"
#include "service/jobs/job_output.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/stop_flag.h"
#include "service/scheduling/turns.h"

namespace dietmt::service {

/// The job's state does not allow the action.
class JobStateError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// The file has too much text.
class FileTooLargeError : public RequestError {
 public:
  using RequestError::RequestError;
};

struct JobServiceOptions {
  int64_t chunk_lines = 200;
  int64_t chunk_bytes = 1 << 18;  // a chunk ends with the line that reaches this size
  size_t max_line_bytes = 1 << 20;
  int64_t max_text_bytes = int64_t{16} << 30;          // uncompressed
  int64_t max_expansion = 100;                         // bytes of text per byte of gzip
  std::chrono::seconds keep = std::chrono::hours(72);  // ended jobs (--keep-jobs)
  std::function<void()> queued = [] {};                // called after each new job
  JobQuota quota = {.jobs = 100,
                    .lines = 100'000'000,
                    .bytes = int64_t{16} << 30,
                    .all_lines = 1'000'000'000,
                    .all_bytes = int64_t{64} << 30};
};

/// Thread-safe. Removes expired jobs in the background.
class JobService {
 public:
  /// `check` throws RequestError or ConfigError for options that no worker supports.
  JobService(JobQueue& queue, JobServiceOptions options,
             std::function<void(const JobOptions&)> check = {});
  ~JobService();

  const JobServiceOptions& options() const { return options_; }

  /// Splits the file at `path` into chunks and queues them; detects `options.gzip`. Converts UTF-16
  /// with a byte-order mark to UTF-8. Throws RequestError, DataError (not text, or a damaged file,
  /// with the line), FileTooLargeError, JobQuotaError, JobQueueFullError and StorageFullError, and
  /// then keeps nothing of the job.
  /// A document also waits for its turn: DeadlineExceeded and ClientGone.
  JobStatus submit(const JobClient& client, JobOptions options, const std::string& path,
                   const Patience& patience = {});

  // These throw NoSuchJobError.
  JobStatus find(const std::string& owner, const std::string& id);
  /// Cancels a job that has not ended and returns it, or removes an ended job.
  std::optional<JobStatus> cancel_or_remove(const std::string& owner, const std::string& id);
  /// `partial`: the lines before the first untranslated one. Throws JobStateError if the job is not
  /// done and `partial` is false. Documents take turns: also ClientGone.
  JobOutput output(const JobStatus& job, bool partial, const Patience& patience = {});

  std::vector<JobStatus> list(const std::string& owner, int64_t limit, const std::string& before) {
    return queue_.list(owner, limit, before);
  }
  std::vector<BadLine> bad_lines(const JobStatus& job, int64_t limit) {
    return queue_.bad_lines(job.id, limit);
  }
  std::vector<int64_t> cut_lines(const JobStatus& job, int64_t limit) {
    return queue_.cut_lines(job.id, limit);
  }
  std::vector<int64_t> guarded_lines(const JobStatus& job, int64_t limit) {
    return queue_.guarded_lines(job.id, limit);
  }

 private:
  void store_lines(JobUpload& upload, const std::string& path);
  void store_document(JobUpload& upload, const JobOptions& options, const std::string& path,
                      const Patience& patience);
  void sweep();

  Turns documents_{1, 1};  // at having a document in memory

  JobQueue& queue_;
  JobServiceOptions options_;
  std::function<void(const JobOptions&)> check_;
  StopFlag stop_;
  std::thread sweeper_;
};

}  // namespace dietmt::service
