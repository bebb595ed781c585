// The queue of batch jobs, in a database, so that accepted jobs outlive this process. Workers in
// this and other processes lease chunks. If a worker does not renew its lease in time, the lease
// expires and another worker takes the chunk. One transaction stores a chunk's translation and
// marks it as done, so that no line is lost or repeated when a process dies.
//
// Clients take turns, and so do the jobs of each: the next chunk comes from the client, and from
// its job, that has waited longest, so that small jobs do not wait for large ones or for many.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/jobs/job.h"
#include "service/jobs/sql_database.h"

namespace dietmt::service {

/// In SQL: the day since 1970, by the database's clock.
inline constexpr const char* kToday = "(dietmt_now() / 86400000000)";

/// When a chunk, and with it its job, fails.
struct RetryPolicy {
  int64_t attempts = 3;                   // that ended with an error
  std::chrono::milliseconds delay{2000};  // before the next attempt, times earlier attempts
  int64_t lost_leases = 10;               // how often workers may disappear
};

/// Limits on jobs, including the new one; 0: no limit.
struct JobQuota {
  // One client's unfinished jobs:
  int64_t jobs = 0;
  int64_t lines = 0;  // of their files
  int64_t bytes = 0;  // of text in these, unpacked
  // One client on one day (UTC):
  int64_t day_jobs = 0;
  int64_t day_lines = 0;
  int64_t day_bytes = 0;
  int64_t day_tokens = 0;  // of source text, translated
  // All jobs in the queue, including ended ones:
  int64_t all_lines = 0;
  int64_t all_bytes = 0;
};

/// Which chunks a worker takes. kSmall: those of at most kSmallChunk bytes, of clients that no
/// other worker works for.
enum class Take { kAll, kSmall };
constexpr int64_t kSmallChunk = 4096;

/// The client's jobs exceed its quota.
class JobQuotaError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// The queue has reached its limits.
class JobQueueFullError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// A job being stored piece by piece. Without finish() it is removed again.
class JobUpload {
 public:
  ~JobUpload();
  JobUpload(JobUpload&&) noexcept = default;
  JobUpload& operator=(JobUpload&&) = delete;

  /// Stores the document whose segments are the job's lines. Throws like append().
  void attach(std::string_view document);

  /// Stores the next chunks in one transaction. If it throws JobQuotaError or JobQueueFullError, it
  /// stores none.
  void append(const std::vector<ChunkText>& chunks);

  /// Queues the job and returns its id. A job without lines is done at once. Throws JobQuotaError
  /// or JobQueueFullError if other jobs have used up the limits meanwhile.
  std::string finish();

 private:
  friend class JobQueue;
  JobUpload(SqlDatabase& database, JobClient client, const JobQuota& quota);

  // Run in the transaction that has changed the job.
  void check_quota(SqlConnection& connection) const;
  void check_client(SqlConnection& connection) const;
  void check_day(SqlConnection& connection) const;
  void check_all(SqlConnection& connection) const;
  void touch(SqlConnection& connection) const;

  SqlDatabase* database_;
  std::string id_;  // empty once finished or moved from
  JobClient client_;
  JobQuota quota_;
  int64_t chunks_ = 0;
  int64_t lines_ = 0;
  int64_t bytes_ = 0;
};

/// Thread-safe. Throws the exceptions of SqlDatabase.
class JobQueue {
 public:
  /// Creates the tables if necessary. Throws Error if they have a newer version.
  explicit JobQueue(std::unique_ptr<SqlDatabase> database, RetryPolicy policy = {});

  // For users, who see only the jobs of their `owner`.

  /// Throws JobQuotaError, JobQueueFullError.
  JobUpload start_upload(const JobClient& client, const JobOptions& options,
                         const JobQuota& quota = {});
  std::optional<JobStatus> find(const std::string& owner, const std::string& id);
  /// Newest first, at most `limit`. `before`: the page_end() of the previous page.
  std::vector<JobStatus> list(const std::string& owner, int64_t limit,
                              const std::string& before = "");
  /// The first `limit` bad lines of a job.
  std::vector<BadLine> bad_lines(const std::string& id, int64_t limit);
  /// The numbers of the first `limit` lines of a job that were cut.
  std::vector<int64_t> cut_lines(const std::string& id, int64_t limit);
  std::vector<int64_t> guarded_lines(const std::string& id, int64_t limit);
  /// Returns false if the job is not queued or running.
  bool cancel(const std::string& owner, const std::string& id);
  /// Removes an ended job; returns false if there is no such job.
  bool remove(const std::string& owner, const std::string& id);
  /// The translation of chunk `number`, from 0; nullopt if it is not done or does not exist.
  std::optional<std::string> output(const std::string& id, int64_t number);
  /// Bytes of the translations of chunks `begin` .. `end` - 1.
  int64_t output_bytes(const std::string& id, int64_t begin, int64_t end);
  /// The document of a job; nullopt if the job has lines.
  std::optional<std::string> document(const std::string& id);
  /// Its size; 0 if it is gone.
  size_t document_bytes(const std::string& id);

  // For workers.

  /// Takes a chunk to translate, leased to `worker` for `lease`; nullopt if no chunk is available.
  /// Leaves the jobs in `except` to other workers.
  std::optional<TakenChunk> take(const std::string& worker, std::chrono::milliseconds lease,
                                 const std::vector<std::string>& except = {},
                                 Take which = Take::kAll);
  /// Renews the lease from now; returns false if another worker has it or the chunk is gone.
  bool renew(const TakenChunk& chunk, std::chrono::milliseconds lease);
  /// False if the job has ended, or another worker has the lease.
  bool is_wanted(const TakenChunk& chunk);
  /// Stores the result; returns false if another worker has the lease or the job is gone. Safe to
  /// repeat if the caller does not know whether the result was stored.
  bool complete(const TakenChunk& chunk, const ChunkResult& result);
  /// Reports that the chunk could not be translated: it is retried later, or its job fails.
  void report_failure(const TakenChunk& chunk, const std::string& reason);
  /// Returns the chunk to the queue.
  void release(const TakenChunk& chunk);
  /// Ends the leases of workers on this machine whose process is gone, without waiting for expiry.
  /// A worker's name begins with the identity of its process.
  void release_dead_workers();

  /// Removes jobs that ended longer than `keep` ago, and uploads that stopped an hour ago.
  void remove_expired(std::chrono::seconds keep);

  SqlDatabase& database() { return *database_; }

 private:
  std::vector<nlohmann::json> line_reports(const std::string& column, const std::string& id,
                                           int64_t limit);
  std::optional<TakenChunk> take_of(const std::string& job, const std::string& worker,
                                    std::chrono::milliseconds lease, Take which);

  std::unique_ptr<SqlDatabase> database_;
  RetryPolicy policy_;
};

/// Creates the tables, or migrates older ones. Throws Error if they have a newer version.
void set_up_job_schema(SqlDatabase& database);

/// Identifies a job's position in list(), for the next page.
std::string page_end(const JobStatus& job);

/// 32 hexadecimal digits that cannot be guessed.
std::string random_id();

/// `queue`: empty for SQLite (jobs.sqlite in `data_directory`, which is created if necessary), or
/// postgresql://... . Throws ConfigError for anything else.
std::unique_ptr<SqlDatabase> open_job_database(const std::string& queue,
                                               const std::filesystem::path& data_directory);

/// Boot id of the machine, PID namespace, PID and start time of this process.
std::string process_identity();

/// True if `name` begins with the identity of a process that ran on this machine and has ended.
/// False if it is alive, or ran on another machine, in another container or before a reboot.
bool is_dead_process_of_this_machine(const std::string& name);

}  // namespace dietmt::service
