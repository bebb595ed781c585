// The workers' part of the job queue.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "common/text_io.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/process_times.h"

namespace dietmt::service {
namespace {

int64_t microseconds(std::chrono::milliseconds time) {
  return std::chrono::microseconds(time).count();
}

// Text that a database accepts.
std::string storable(std::string text) {
  std::erase(text, '\0');
  return replace_invalid_utf8(text);
}

// NULL if the list is empty.
SqlValue stored_list(const nlohmann::json& list, std::string& text) {
  text = list.dump();
  return list.empty() ? SqlValue(nullptr) : SqlValue(std::string_view(text));
}

std::string lines_of(const TakenChunk& chunk) {
  const int64_t last = chunk.first_line + chunk.input.lines - 1;
  return "lines " + std::to_string(chunk.first_line) + " to " + std::to_string(last);
}

SqlResult fail_job(SqlConnection& connection, const std::string& job, const std::string& error) {
  SqlResult failed = connection.execute(
      "UPDATE dietmt_jobs SET state = 'failed', error = $2, finished = dietmt_now() "
      "WHERE id = $1 AND state IN ('queued', 'running')",
      {job, storable(error)});
  if (failed.changed > 0) spdlog::warn("job {} failed: {}", job, storable(error));
  return failed;
}

}  // namespace

std::optional<TakenChunk> JobQueue::take(const std::string& worker, std::chrono::milliseconds lease,
                                         const std::vector<std::string>& except, Take which) {
  const std::string of_idle_client =
      " AND NOT EXISTS (SELECT 1 FROM dietmt_chunks c JOIN dietmt_jobs o ON o.id = c.job "
      "WHERE o.client = j.client AND c.done = 0 AND c.lease IS NOT NULL "
      "AND c.free_from > dietmt_now())";
  const SqlResult active = database_->execute(
      "SELECT j.id FROM dietmt_jobs j LEFT JOIN dietmt_turns t ON t.client = j.client "
      "WHERE j.state IN ('queued', 'running')" +
      (which == Take::kSmall ? of_idle_client : "") +
      " ORDER BY COALESCE(t.taken, 0), j.touched, j.created, j.id");
  for (const SqlRow& row : active.rows) {
    const std::string job = row.text(0);
    if (std::ranges::find(except, job) != except.end()) continue;
    if (std::optional<TakenChunk> chunk = take_of(job, worker, lease, which)) return chunk;
  }
  return std::nullopt;
}

std::optional<TakenChunk> JobQueue::take_of(const std::string& job, const std::string& worker,
                                            std::chrono::milliseconds lease, Take which) {
  return database_->transaction([&](SqlConnection& connection) -> std::optional<TakenChunk> {
    const SqlResult open = connection.execute(
        "SELECT number, first_line, lines, input, lease, losses FROM dietmt_chunks "
        "WHERE job = $1 AND done = 0 AND free_from <= dietmt_now() "
        "AND LENGTH(input) <= CAST($2 AS BIGINT) "
        "ORDER BY number LIMIT 1" +
            database_->dialect().skip_locked,
        {job, which == Take::kSmall ? kSmallChunk : INT64_MAX});
    if (open.rows.empty()) return std::nullopt;
    const SqlRow& row = open.rows[0];
    TakenChunk chunk;
    chunk.job = job;
    chunk.number = row.integer(0);
    chunk.first_line = row.integer(1);
    chunk.input = {row.integer(2), row.text(3)};
    chunk.lease = random_id();
    const int64_t losses = row.integer(5) + (row.is_null(4) ? 0 : 1);
    if (losses >= policy_.lost_leases) {
      fail_job(connection, job,
               lines_of(chunk) + " were abandoned: " + std::to_string(losses) +
                   " workers disappeared while they translated these lines");
      return std::nullopt;
    }
    connection.execute(
        "UPDATE dietmt_chunks SET lease = $3, worker = $4, losses = $5, "
        "free_from = dietmt_now() + $6 WHERE job = $1 AND number = $2",
        {job, chunk.number, chunk.lease, worker, losses, microseconds(lease)});
    connection.execute(
        "UPDATE dietmt_jobs SET state = 'running', touched = dietmt_now(), "
        "started = COALESCE(started, dietmt_now()) "
        "WHERE id = $1 AND state IN ('queued', 'running')",
        {job});
    const SqlResult options = connection.execute(
        "SELECT options, owner, client FROM dietmt_jobs WHERE id = $1 AND state = 'running'",
        {job});
    if (options.rows.empty()) return std::nullopt;  // the job has ended meanwhile
    chunk.options = JobOptions::from_json(nlohmann::json::parse(options.rows[0].text(0)));
    chunk.options.owner = options.rows[0].text(1);
    chunk.options.client = options.rows[0].text(2);
    connection.execute(
        "INSERT INTO dietmt_turns (client, taken) VALUES ($1, dietmt_now()) "
        "ON CONFLICT (client) DO UPDATE SET taken = excluded.taken",
        {chunk.options.client});
    return chunk;
  });
}

bool JobQueue::renew(const TakenChunk& chunk, std::chrono::milliseconds lease) {
  return database_
             ->execute(
                 "UPDATE dietmt_chunks SET free_from = dietmt_now() + $4 "
                 "WHERE job = $1 AND number = $2 AND lease = $3 AND done = 0",
                 {chunk.job, chunk.number, chunk.lease, microseconds(lease)})
             .changed > 0;
}

bool JobQueue::is_wanted(const TakenChunk& chunk) {
  return !database_
              ->execute(
                  "SELECT c.number FROM dietmt_chunks c JOIN dietmt_jobs j ON j.id = c.job "
                  "WHERE c.job = $1 AND c.number = $2 AND c.lease = $3 AND j.state = 'running'",
                  {chunk.job, chunk.number, chunk.lease})
              .rows.empty();
}

bool JobQueue::complete(const TakenChunk& chunk, const ChunkResult& result) {
  nlohmann::json bad_lines = nlohmann::json::array();
  for (const BadLine& bad : result.bad_lines)
    bad_lines.push_back({bad.line, replace_invalid_utf8(bad.reason)});
  std::string bad_text, cut_text, guarded_text;
  const SqlValue bad = stored_list(bad_lines, bad_text);
  const SqlValue cut = stored_list(result.cut_lines, cut_text);
  const SqlValue guarded = stored_list(result.guarded_lines, guarded_text);
  return database_->transaction([&](SqlConnection& connection) {
    const SqlResult stored = connection.execute(
        "UPDATE dietmt_chunks SET done = 1, output = $4, input = NULL, bad_lines = $5, "
        "cut_lines = $6, guarded_lines = $7 "
        "WHERE job = $1 AND number = $2 AND lease = $3 AND done = 0",
        {chunk.job, chunk.number, chunk.lease, SqlBytes{result.text}, bad, cut, guarded});
    // If only the response to an earlier call was lost, the chunk is done under the same lease.
    if (stored.changed == 0)
      return !connection
                  .execute(
                      "SELECT number FROM dietmt_chunks "
                      "WHERE job = $1 AND number = $2 AND lease = $3 AND done = 1",
                      {chunk.job, chunk.number, chunk.lease})
                  .rows.empty();
    connection.execute(
        "UPDATE dietmt_jobs SET lines_done = lines_done + $2, chunks_done = chunks_done + 1, "
        "bad_lines = bad_lines + $3, cut_lines = cut_lines + $4, "
        "guarded_lines = guarded_lines + $5 WHERE id = $1",
        {chunk.job, chunk.input.lines, std::ssize(result.bad_lines), std::ssize(result.cut_lines),
         std::ssize(result.guarded_lines)});
    connection.execute(
        std::string("INSERT INTO dietmt_usage (client, day, jobs, lines, bytes, tokens) SELECT "
                    "client, ") +
            kToday +
            ", 0, 0, 0, CAST($2 AS BIGINT) FROM dietmt_jobs WHERE id = $1 ON CONFLICT (client, "
            "day) DO UPDATE SET "
            "tokens = dietmt_usage.tokens + excluded.tokens",
        {chunk.job, result.source_tokens});
    const SqlResult done = connection.execute(
        "UPDATE dietmt_jobs SET state = 'done', finished = dietmt_now() "
        "WHERE id = $1 AND state = 'running' AND chunks_done = chunks",
        {chunk.job});
    if (done.changed > 0) spdlog::info("job {} is done", chunk.job);
    return true;
  });
}

void JobQueue::report_failure(const TakenChunk& chunk, const std::string& reason) {
  database_->transaction([&](SqlConnection& connection) {
    const SqlResult freed = connection.execute(
        "UPDATE dietmt_chunks SET attempts = attempts + 1, lease = NULL, "
        "free_from = dietmt_now() + (attempts + 1) * CAST($4 AS BIGINT) "
        "WHERE job = $1 AND number = $2 AND lease = $3 AND done = 0",
        {chunk.job, chunk.number, chunk.lease, microseconds(policy_.delay)});
    if (freed.changed == 0) return freed;
    const SqlResult attempts =
        connection.execute("SELECT attempts FROM dietmt_chunks WHERE job = $1 AND number = $2",
                           {chunk.job, chunk.number});
    if (attempts.rows.at(0).integer(0) < policy_.attempts) return attempts;
    return fail_job(connection, chunk.job,
                    lines_of(chunk) + " could not be translated in " + attempts.rows[0].text(0) +
                        " attempts: " + reason);
  });
}

void JobQueue::release(const TakenChunk& chunk) {
  database_->execute(
      "UPDATE dietmt_chunks SET lease = NULL, free_from = 0 "
      "WHERE job = $1 AND number = $2 AND lease = $3 AND done = 0",
      {chunk.job, chunk.number, chunk.lease});
}

void JobQueue::release_dead_workers() {
  const SqlResult workers = database_->execute(
      "SELECT DISTINCT worker FROM dietmt_chunks WHERE done = 0 AND lease IS NOT NULL");
  for (const SqlRow& row : workers.rows) {
    if (!is_dead_process_of_this_machine(row.text(0))) continue;
    database_->execute(
        "UPDATE dietmt_chunks SET free_from = 0 "
        "WHERE done = 0 AND lease IS NOT NULL AND worker = $1",
        {row.text(0)});
  }
}

std::string process_identity() {
  const std::string process = std::to_string(::getpid());
  return process_numbering() + ":" + process + ":" + process_start_time(process);
}

bool is_dead_process_of_this_machine(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream stream(name);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  if (parts.size() < 4 || parts[0] + ":" + parts[1] != process_numbering()) return false;
  return process_start_time(parts[2]) != parts[3];
}

}  // namespace dietmt::service
