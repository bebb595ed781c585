#include <utility>

#include "common/error.h"
#include "service/jobs/job_queue.h"

namespace dietmt::service {
namespace {

constexpr const char* kGivenUp = "the upload stalled for an hour and was removed";

std::string name_of_holder(const JobClient& client) {
  return client.owner.empty() ? "this address" : "this API key";
}

}  // namespace

JobUpload::~JobUpload() {
  if (id_.empty()) return;
  try {
    database_->execute("DELETE FROM dietmt_jobs WHERE id = $1", {id_});
  } catch (const std::exception&) {
    // remove_expired() finds it.
  }
}

JobUpload::JobUpload(SqlDatabase& database, JobClient client, const JobQuota& quota)
    : database_(&database), id_(random_id()), client_(std::move(client)), quota_(quota) {}

void JobUpload::check_quota(SqlConnection& connection) const {
  const std::string& lock = database_->dialect().lock_name;
  if (!lock.empty()) connection.execute(lock, {client_.quota_holder()});
  check_client(connection);
  check_day(connection);
  check_all(connection);
}

void JobUpload::check_client(SqlConnection& connection) const {
  const SqlResult sums = connection.execute(
      "SELECT COUNT(*), SUM(lines), SUM(bytes) FROM dietmt_jobs "
      "WHERE client = $1 AND state IN ('uploading', 'queued', 'running')",
      {client_.quota_holder()});
  const auto check = [&](size_t column, int64_t limit, const std::string& what) {
    if (limit == 0 || sums.rows.at(0).integer(column) <= limit) return;
    throw JobQuotaError("the unfinished jobs of " + name_of_holder(client_) +
                        " would exceed its limit of " + std::to_string(limit) + " " + what +
                        "; wait until some of them have ended, or cancel them");
  };
  check(0, quota_.jobs, "jobs");
  check(1, quota_.lines, "lines");
  check(2, quota_.bytes, "bytes");
}

// Other uploads in progress count once they are finished.
void JobUpload::check_day(SqlConnection& connection) const {
  const SqlResult today = connection.execute(
      std::string("SELECT jobs, lines, bytes, tokens FROM dietmt_usage WHERE client = $1 AND ") +
          "day = " + kToday,
      {client_.quota_holder()});
  const auto check = [&](size_t column, int64_t more, int64_t limit, const std::string& what) {
    const int64_t used = today.rows.empty() ? 0 : today.rows[0].integer(column);
    if (limit == 0 || used + more <= limit) return;
    throw JobQuotaError("the jobs of " + name_of_holder(client_) + " would exceed its limit of " +
                        std::to_string(limit) + " " + what +
                        " per day; continue after midnight UTC");
  };
  check(0, 1, quota_.day_jobs, "jobs");
  check(1, lines_, quota_.day_lines, "lines");
  check(2, bytes_, quota_.day_bytes, "bytes");
  check(3, 1, quota_.day_tokens, "source tokens");
}

void JobUpload::check_all(SqlConnection& connection) const {
  if (quota_.all_lines == 0 && quota_.all_bytes == 0) return;
  const SqlResult sums = connection.execute("SELECT SUM(lines), SUM(bytes) FROM dietmt_jobs");
  const auto check = [&](size_t column, int64_t limit, const std::string& what) {
    if (limit == 0 || sums.rows.at(0).integer(column) <= limit) return;
    throw JobQueueFullError("the jobs of all clients would exceed this server's limit of " +
                            std::to_string(limit) + " " + what +
                            "; remove jobs that have ended, or try again later");
  };
  check(0, quota_.all_lines, "lines");
  check(1, quota_.all_bytes, "bytes");
}

void JobUpload::touch(SqlConnection& connection) const {
  const SqlResult job = connection.execute(
      "UPDATE dietmt_jobs SET touched = dietmt_now(), lines = $2, bytes = $3 WHERE id = $1",
      {id_, lines_, bytes_});
  if (job.changed == 0) throw Error(kGivenUp);
  check_quota(connection);
}

void JobUpload::attach(std::string_view document) {
  bytes_ += static_cast<int64_t>(document.size());
  database_->transaction([&](SqlConnection& connection) {
    touch(connection);
    return connection.execute("INSERT INTO dietmt_documents (job, content) VALUES ($1, $2)",
                              {id_, SqlBytes{document}});
  });
}

void JobUpload::append(const std::vector<ChunkText>& chunks) {
  const int64_t stored_lines = lines_;
  for (const ChunkText& chunk : chunks) {
    lines_ += chunk.lines;
    bytes_ += static_cast<int64_t>(chunk.text.size());
  }
  database_->transaction([&](SqlConnection& connection) {
    touch(connection);
    int64_t number = chunks_;
    int64_t first_line = stored_lines + 1;
    for (const ChunkText& chunk : chunks) {
      connection.execute(
          "INSERT INTO dietmt_chunks (job, number, first_line, lines, done, attempts, losses, "
          "free_from, input) VALUES ($1, $2, $3, $4, 0, 0, 0, 0, $5)",
          {id_, number++, first_line, chunk.lines, SqlBytes{chunk.text}});
      first_line += chunk.lines;
    }
    return true;
  });
  chunks_ += static_cast<int64_t>(chunks.size());
}

std::string JobUpload::finish() {
  const bool is_empty = chunks_ == 0;
  database_->transaction(
      [&](SqlConnection& connection) {
        const SqlResult queued = connection.execute(
            std::string("UPDATE dietmt_jobs SET state = $2, chunks = $3, touched = 0, "
                        "created = dietmt_now(), finished = ") +
                (is_empty ? "dietmt_now()" : "NULL") + " WHERE id = $1",
            {id_, name_of(is_empty ? JobState::kDone : JobState::kQueued), chunks_});
        if (queued.changed == 0) throw Error(kGivenUp);
        check_quota(connection);
        return connection.execute(
            std::string("INSERT INTO dietmt_usage (client, day, jobs, lines, bytes, tokens) "
                        "VALUES ($1, ") +
                kToday +
                ", 1, $2, $3, 0) ON CONFLICT (client, day) DO UPDATE SET "
                "jobs = dietmt_usage.jobs + 1, lines = dietmt_usage.lines + excluded.lines, "
                "bytes = dietmt_usage.bytes + excluded.bytes",
            {client_.quota_holder(), lines_, bytes_});
      },
      Survives::kPowerCut);
  return std::exchange(id_, {});
}

}  // namespace dietmt::service
