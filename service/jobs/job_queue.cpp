#include "service/jobs/job_queue.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace dietmt::service {
namespace {

constexpr int64_t kMicroseconds = 1'000'000;
constexpr int64_t kForgottenUpload = 3600 * kMicroseconds;

constexpr const char* kGivenUp = "the upload stalled for an hour and was removed";

constexpr const char* kStatusColumns =
    "SELECT id, options, state, lines, lines_done, bad_lines, dietmt_now(), created, started, "
    "finished, error, chunks, cut_lines FROM dietmt_jobs ";

std::string name_of_holder(const JobClient& client) {
  return client.owner.empty() ? "this address" : "this API key";
}

JobStatus status_of(const SqlRow& row) {
  JobStatus status;
  status.id = row.text(0);
  status.options = JobOptions::from_json(nlohmann::json::parse(row.text(1)));
  status.state = job_state(row.text(2));
  status.lines = row.integer(3);
  status.lines_done = row.integer(4);
  status.bad_lines = row.integer(5);
  status.asked = row.integer(6);
  status.created = row.integer(7);
  status.started = row.optional_integer(8);
  status.finished = row.optional_integer(9);
  status.error = row.text(10);
  status.chunks = row.integer(11);
  status.cut_lines = row.integer(12);
  return status;
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

// Uploads in progress count when they are finished.
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
  database_->execute(
      std::string(
          "INSERT INTO dietmt_usage (client, day, jobs, lines, bytes, tokens) VALUES ($1, ") +
          kToday +
          ", 1, $2, $3, 0) ON CONFLICT (client, day) DO UPDATE SET "
          "jobs = dietmt_usage.jobs + 1, lines = dietmt_usage.lines + excluded.lines, "
          "bytes = dietmt_usage.bytes + excluded.bytes",
      {client_.quota_holder(), lines_, bytes_});
  const SqlResult result = database_->execute_durably(
      std::string("UPDATE dietmt_jobs SET state = $2, chunks = $3, touched = 0, "
                  "created = dietmt_now(), finished = ") +
          (is_empty ? "dietmt_now()" : "NULL") + " WHERE id = $1",
      {id_, name_of(is_empty ? JobState::kDone : JobState::kQueued), chunks_});
  if (result.changed == 0) throw Error(kGivenUp);
  return std::exchange(id_, {});
}

JobQueue::JobQueue(std::unique_ptr<SqlDatabase> database, RetryPolicy policy)
    : database_(std::move(database)), policy_(policy) {
  set_up_job_schema(*database_);
}

JobUpload JobQueue::start_upload(const JobClient& client, const JobOptions& options,
                                 const JobQuota& quota) {
  JobUpload upload(*database_, client, quota);
  const std::string stored_options = options.to_json().dump();
  database_->transaction([&](SqlConnection& connection) {
    const SqlResult inserted = connection.execute(
        "INSERT INTO dietmt_jobs (id, owner, client, options, state, lines, bytes, chunks, "
        "lines_done, chunks_done, bad_lines, created, touched) "
        "VALUES ($1, $2, $3, $4, 'uploading', 0, 0, 0, 0, 0, 0, dietmt_now(), dietmt_now())",
        {upload.id_, client.owner, client.quota_holder(), stored_options});
    upload.check_quota(connection);
    return inserted;
  });
  return upload;
}

std::optional<JobStatus> JobQueue::find(const std::string& owner, const std::string& id) {
  const SqlResult result = database_->execute(
      std::string(kStatusColumns) + "WHERE id = $1 AND owner = $2 AND state <> 'uploading'",
      {id, owner});
  if (result.rows.empty()) return std::nullopt;
  return status_of(result.rows[0]);
}

std::vector<JobStatus> JobQueue::list(const std::string& owner, int64_t limit,
                                      const std::string& before) {
  int64_t created = INT64_MAX;
  const size_t dash = before.find('-');
  if (!before.empty()) {
    if (dash == 0 || dash > 18 || before.find_first_not_of("0123456789") != dash)
      throw RequestError("before: \"" + before + "\" is not the 'next' value of a page");
    created = std::stoll(before.substr(0, dash));
  }
  const std::string id = before.empty() ? "" : before.substr(dash + 1);
  const SqlResult result = database_->execute(
      std::string(kStatusColumns) +
          "WHERE owner = $1 AND state <> 'uploading' AND (created < $2 OR (created = $2 AND id < "
          "$3)) ORDER BY created DESC, id DESC LIMIT $4",
      {owner, created, id, limit});
  std::vector<JobStatus> jobs;
  for (const SqlRow& row : result.rows) jobs.push_back(status_of(row));
  return jobs;
}

// The lists in a column of the chunks as one.
std::vector<nlohmann::json> JobQueue::line_reports(const std::string& column, const std::string& id,
                                                   int64_t limit) {
  const SqlResult result =
      database_->execute("SELECT " + column + " FROM dietmt_chunks WHERE job = $1 AND " + column +
                             " IS NOT NULL ORDER BY number LIMIT $2",
                         {id, limit});
  std::vector<nlohmann::json> reports;
  for (const SqlRow& row : result.rows) {
    for (nlohmann::json& line : nlohmann::json::parse(row.text(0))) {
      if (std::ssize(reports) == limit) return reports;
      reports.push_back(std::move(line));
    }
  }
  return reports;
}

std::vector<BadLine> JobQueue::bad_lines(const std::string& id, int64_t limit) {
  std::vector<BadLine> lines;
  for (const nlohmann::json& line : line_reports("bad_lines", id, limit))
    lines.push_back({line.at(0), line.at(1)});
  return lines;
}

std::vector<int64_t> JobQueue::cut_lines(const std::string& id, int64_t limit) {
  const std::vector<nlohmann::json> lines = line_reports("cut_lines", id, limit);
  return {lines.begin(), lines.end()};
}

bool JobQueue::cancel(const std::string& owner, const std::string& id) {
  return database_
             ->execute_durably(
                 "UPDATE dietmt_jobs SET state = 'cancelled', finished = dietmt_now() "
                 "WHERE id = $1 AND owner = $2 AND state IN ('queued', 'running')",
                 {id, owner})
             .changed > 0;
}

bool JobQueue::remove(const std::string& owner, const std::string& id) {
  return database_->transaction([&](SqlConnection& connection) {
    return connection
               .execute(
                   "DELETE FROM dietmt_jobs WHERE id = $1 AND owner = $2 "
                   "AND state IN ('done', 'failed', 'cancelled')",
                   {id, owner})
               .changed > 0;
  });
}

std::optional<std::string> JobQueue::output(const std::string& id, int64_t number) {
  const SqlResult result = database_->execute(
      "SELECT output FROM dietmt_chunks WHERE job = $1 AND number = $2 AND done = 1", {id, number});
  if (result.rows.empty()) return std::nullopt;
  return result.rows[0].text(0);
}

int64_t JobQueue::output_bytes(const std::string& id, int64_t begin, int64_t end) {
  return database_
      ->execute(
          "SELECT SUM(LENGTH(output)) FROM dietmt_chunks "
          "WHERE job = $1 AND number >= $2 AND number < $3",
          {id, begin, end})
      .rows.at(0)
      .integer(0);
}

std::optional<std::string> JobQueue::document(const std::string& id) {
  const SqlResult result =
      database_->execute("SELECT content FROM dietmt_documents WHERE job = $1", {id});
  if (result.rows.empty()) return std::nullopt;
  return result.rows[0].text(0);
}

void JobQueue::remove_expired(std::chrono::seconds keep) {
  const SqlResult removed = database_->transaction([&](SqlConnection& connection) {
    return connection.execute(
        "DELETE FROM dietmt_jobs WHERE finished < dietmt_now() - $1 "
        "OR (state = 'uploading' AND touched < dietmt_now() - $2)",
        {keep.count() * kMicroseconds, kForgottenUpload});
  });
  database_->execute(std::string("DELETE FROM dietmt_usage WHERE day < ") + kToday);
  if (removed.changed > 0) database_->shrink();
}

std::string page_end(const JobStatus& job) { return std::to_string(job.created) + "-" + job.id; }

std::string random_id() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw Error(std::string("the system provides no random numbers: ") + std::strerror(errno));
  constexpr const char* kDigits = "0123456789abcdef";
  std::string id;
  for (const unsigned char byte : bytes) {
    id += kDigits[byte >> 4];
    id += kDigits[byte & 15];
  }
  return id;
}

std::unique_ptr<SqlDatabase> open_job_database(const std::string& queue,
                                               const std::filesystem::path& data_directory) {
  if (queue.starts_with("postgresql://") || queue.starts_with("postgres://"))
    return open_postgresql(queue);
  if (!queue.empty())
    throw ConfigError("--queue: \"" + queue + "\" does not start with postgresql://");
  std::error_code error;
  std::filesystem::create_directories(data_directory, error);
  if (error)
    throw Error(data_directory.string() + ": cannot create the directory: " + error.message());
  return open_sqlite(data_directory / "jobs.sqlite");
}

}  // namespace dietmt::service
