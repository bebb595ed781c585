// The translated file of a job, as text or gzip.
#pragma once

#include <zlib.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "service/jobs/job_queue.h"

namespace dietmt::service {

/// The job does not exist or belongs to another owner.
class NoSuchJobError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// Compresses one member of a gzip stream, piece by piece.
class GzipWriter {
 public:
  GzipWriter();
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  /// Adds `bytes` and returns the compressed bytes that are ready, possibly none.
  std::string add(std::string_view bytes) { return deflated(bytes, Z_NO_FLUSH); }
  /// Returns the remaining bytes. Call it once, at the end.
  std::string finish() { return deflated({}, Z_FINISH); }

 private:
  std::string deflated(std::string_view bytes, int flush);

  z_stream stream_ = {};
};

/// The translated file of a job, piece by piece.
class JobOutput {
 public:
  /// Throws DataError for a document that can no longer be read.
  JobOutput(JobQueue& queue, JobStatus job);

  /// The next bytes, never empty; none at the end. Throws NoSuchJobError if the job is removed in
  /// the meantime.
  std::optional<std::string> next();

  /// The bytes of the whole file. If it is packed, they are packed to count them.
  uint64_t size() const;

  /// Leaves out the next bytes.
  void skip(uint64_t bytes);

 private:
  // Chunks whose sizes are added up by the database, to skip them.
  static constexpr int64_t kBlockOfChunks = 1000;

  JobOutput(JobQueue& queue, JobStatus job, std::optional<std::string> document);

  std::optional<std::string> next_text();

  JobQueue& queue_;
  JobStatus job_;
  int64_t chunk_ = 0;
  bool ended_ = false;
  std::string rest_;                     // bytes that come before all others
  std::optional<std::string> document_;  // the translated one; none if the job has lines
  std::unique_ptr<GzipWriter> gzip_;
};

}  // namespace dietmt::service
