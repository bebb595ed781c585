// The translated file of a job, as text or gzip.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/deflater.h"
#include "common/error.h"
#include "service/documents/document.h"
#include "service/jobs/job_queue.h"

namespace dietmt::service {

/// The job does not exist or belongs to another owner.
class NoSuchJobError : public RequestError {
 public:
  using RequestError::RequestError;
};

struct TranslatedDocument {
  std::string bytes;
  SegmentReport report;
  std::vector<std::string> left_out;  // Document::left_out()
};

/// The translated file of a job, piece by piece.
class JobOutput {
 public:
  /// Throws DataError for a document that can no longer be read.
  JobOutput(JobQueue& queue, JobStatus job);

  /// The next bytes, never empty; nullopt at the end. Throws NoSuchJobError if the job is removed
  /// meanwhile.
  std::optional<std::string> next();

  /// Size of the whole file in bytes. Packed files are packed to count them.
  uint64_t size() const;

  /// Skips the next bytes.
  void skip(uint64_t bytes);

  /// Null if the job has lines.
  const TranslatedDocument* document() const { return document_ ? &*document_ : nullptr; }

 private:
  // The database adds up the sizes of this many chunks at a time, to skip them.
  static constexpr int64_t kBlockOfChunks = 1000;

  JobOutput(JobQueue& queue, JobStatus job, std::optional<TranslatedDocument> document);

  std::optional<std::string> next_text();

  JobQueue& queue_;
  JobStatus job_;
  int64_t chunk_ = 0;
  bool ended_ = false;
  std::string rest_;                            // bytes that come before all others
  std::optional<TranslatedDocument> document_;  // unset if the job has lines
  std::unique_ptr<Deflater> gzip_;
};

}  // namespace dietmt::service
