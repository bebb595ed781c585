#include "service/jobs/job_queue.h"

#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace dietmt::service {
namespace {

constexpr int64_t kMicroseconds = 1'000'000;
constexpr int64_t kForgottenUpload = 3600 * kMicroseconds;

constexpr const char* kStatusColumns =
    "SELECT id, options, state, lines, lines_done, bad_lines, dietmt_now(), created, started, "
    "finished, error, chunks, cut_lines, guarded_lines FROM dietmt_jobs ";

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
  status.guarded_lines = row.integer(13);
  return status;
}

}  // namespace

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
          "WHERE owner = $1 AND state <> 'uploading' AND (created, id) < ($2, $3) "
          "ORDER BY created DESC, id DESC LIMIT $4",
      {owner, created, id, limit});
  std::vector<JobStatus> jobs;
  for (const SqlRow& row : result.rows) jobs.push_back(status_of(row));
  return jobs;
}

// Concatenates the lists in a column of the chunks.
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

std::vector<int64_t> JobQueue::guarded_lines(const std::string& id, int64_t limit) {
  const std::vector<nlohmann::json> lines = line_reports("guarded_lines", id, limit);
  return {lines.begin(), lines.end()};
}

bool JobQueue::cancel(const std::string& owner, const std::string& id) {
  return database_->transaction(
      [&](SqlConnection& connection) {
        return connection
                   .execute(
                       "UPDATE dietmt_jobs SET state = 'cancelled', finished = dietmt_now() "
                       "WHERE id = $1 AND owner = $2 AND state IN ('queued', 'running')",
                       {id, owner})
                   .changed > 0;
      },
      Survives::kPowerCut);
}

bool JobQueue::remove(const std::string& owner, const std::string& id) {
  const SqlResult removed = database_->transaction([&](SqlConnection& connection) {
    return connection.execute(
        "DELETE FROM dietmt_jobs WHERE id = $1 AND owner = $2 "
        "AND state IN ('done', 'failed', 'cancelled')",
        {id, owner});
  });
  if (removed.changed > 0) database_->shrink();
  return removed.changed > 0;
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

size_t JobQueue::document_bytes(const std::string& id) {
  const SqlResult result =
      database_->execute("SELECT LENGTH(content) FROM dietmt_documents WHERE job = $1", {id});
  return result.rows.empty() ? 0 : static_cast<size_t>(result.rows[0].integer(0));
}

void JobQueue::remove_expired(std::chrono::seconds keep) {
  const SqlResult removed = database_->transaction([&](SqlConnection& connection) {
    return connection.execute(
        "DELETE FROM dietmt_jobs WHERE finished < dietmt_now() - $1 "
        "OR (state = 'uploading' AND touched < dietmt_now() - $2)",
        {keep.count() * kMicroseconds, kForgottenUpload});
  });
  database_->execute(std::string("DELETE FROM dietmt_usage WHERE day < ") + kToday);
  database_->execute("DELETE FROM dietmt_turns WHERE taken < dietmt_now() - $1",
                     {kForgottenUpload});
  if (removed.changed > 0) database_->shrink();
}

std::string page_end(const JobStatus& job) { return std::to_string(job.created) + "-" + job.id; }

std::string random_id() {
  unsigned char bytes[16];
  if (::getentropy(bytes, sizeof bytes) != 0)
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
