#include "service/jobs/job_queue.h"

namespace dietmt::service {
namespace {

using Statements = std::vector<std::string>;

// The columns of dietmt_chunks. A chunk that no worker holds has no lease; a chunk that waits for
// another attempt has a time in `free_from`. `job`: what follows the name of that column.
std::string chunk_columns(const SqlDialect& dialect, const std::string& job) {
  return "(job TEXT NOT NULL" + job +
         ", number BIGINT NOT NULL, first_line BIGINT NOT NULL, lines BIGINT NOT NULL, "
         "done INTEGER NOT NULL, attempts INTEGER NOT NULL, losses INTEGER NOT NULL, lease TEXT, "
         "worker TEXT, free_from BIGINT NOT NULL, bad_lines TEXT, input " +
         dialect.bytes + ", output " + dialect.bytes + ", PRIMARY KEY (job, number))";
}

// The statements that migrate each version to the next, starting from an empty database. Only add
// to them: users have databases of every version. Times are microseconds since 1970.
std::vector<Statements> migrations(const SqlDialect& dialect) {
  const Statements chunk_indexes = {
      "CREATE INDEX dietmt_chunks_open ON dietmt_chunks (job, number) WHERE done = 0",
      "CREATE INDEX dietmt_chunks_leased ON dietmt_chunks (worker) "
      "WHERE done = 0 AND lease IS NOT NULL"};
  return {
      {
          // `touched`: the time of the last part of an upload, later of the last chunk taken.
          "CREATE TABLE dietmt_jobs (id TEXT PRIMARY KEY, owner TEXT NOT NULL, "
          "options TEXT NOT NULL, state TEXT NOT NULL, lines BIGINT NOT NULL, "
          "chunks BIGINT NOT NULL, lines_done BIGINT NOT NULL, chunks_done BIGINT NOT NULL, "
          "bad_lines BIGINT NOT NULL, created BIGINT NOT NULL, touched BIGINT NOT NULL, "
          "started BIGINT, finished BIGINT, error TEXT)",
          "CREATE INDEX dietmt_jobs_of_owner ON dietmt_jobs (owner, created, id)",
          "CREATE INDEX dietmt_jobs_active ON dietmt_jobs (touched) "
          "WHERE state IN ('queued', 'running')",
          "CREATE TABLE dietmt_chunks " + chunk_columns(dialect, ""),
          chunk_indexes[0],
          chunk_indexes[1],
      },
      {
          // Deleting a job deletes its chunks. SQLite cannot add a foreign key to an existing
          // table.
          "ALTER TABLE dietmt_chunks RENAME TO dietmt_chunks_1",
          "DROP INDEX dietmt_chunks_open",
          "DROP INDEX dietmt_chunks_leased",
          "CREATE TABLE dietmt_chunks " +
              chunk_columns(dialect, " REFERENCES dietmt_jobs (id) ON DELETE CASCADE"),
          "INSERT INTO dietmt_chunks SELECT * FROM dietmt_chunks_1 "
          "WHERE job IN (SELECT id FROM dietmt_jobs)",
          "DROP TABLE dietmt_chunks_1",
          chunk_indexes[0],
          chunk_indexes[1],
      },
      {
          // `client`: the holder of the quota that the job counts towards, an API key's name or an
          // address.
          "ALTER TABLE dietmt_jobs ADD COLUMN client TEXT NOT NULL DEFAULT ''",
          "ALTER TABLE dietmt_jobs ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0",
          "UPDATE dietmt_jobs SET client = owner",
          "CREATE INDEX dietmt_jobs_of_client ON dietmt_jobs (client) "
          "WHERE state IN ('uploading', 'queued', 'running')",
      },
      {
          // The uploaded document, which receives the translations of its segments.
          "CREATE TABLE dietmt_documents (job TEXT PRIMARY KEY REFERENCES dietmt_jobs (id) "
          "ON DELETE CASCADE, content " +
              dialect.bytes + " NOT NULL)",
          // What each client has submitted and had translated per day, counted from 1970.
          "CREATE TABLE dietmt_usage (client TEXT NOT NULL, day BIGINT NOT NULL, "
          "jobs BIGINT NOT NULL, lines BIGINT NOT NULL, bytes BIGINT NOT NULL, "
          "tokens BIGINT NOT NULL, PRIMARY KEY (client, day))",
      },
      {
          "ALTER TABLE dietmt_jobs ADD COLUMN cut_lines BIGINT NOT NULL DEFAULT 0",
          "ALTER TABLE dietmt_chunks ADD COLUMN cut_lines TEXT",
      },
      {
          // The segments of documents were text with tags in it; now marks are stored separately.
          "UPDATE dietmt_jobs SET state = 'failed', finished = COALESCE(finished, dietmt_now()), "
          "error = 'the document was stored by an earlier version of dietmt; submit it again' "
          "WHERE id IN (SELECT job FROM dietmt_documents) "
          "AND state IN ('queued', 'running', 'done')",
      },
      {
          "ALTER TABLE dietmt_jobs ADD COLUMN guarded_lines BIGINT NOT NULL DEFAULT 0",
          "ALTER TABLE dietmt_chunks ADD COLUMN guarded_lines TEXT",
      },
      {
          // Glossaries of clients: dictionaries, one for each pair of languages. `version` is
          // another one each time that `lines`, the terms, change.
          "CREATE TABLE dietmt_glossaries (id TEXT PRIMARY KEY, owner TEXT NOT NULL, "
          "name TEXT NOT NULL, created BIGINT NOT NULL)",
          "CREATE INDEX dietmt_glossaries_of_owner ON dietmt_glossaries (owner, created, id)",
          "CREATE TABLE dietmt_dictionaries (glossary TEXT NOT NULL REFERENCES dietmt_glossaries "
          "(id) ON DELETE CASCADE, source TEXT NOT NULL, target TEXT NOT NULL, "
          "version TEXT NOT NULL, terms BIGINT NOT NULL, bytes BIGINT NOT NULL, lines " +
              dialect.bytes + " NOT NULL, PRIMARY KEY (glossary, source, target))",
          // When a chunk of each client was last taken.
          "CREATE TABLE dietmt_turns (client TEXT PRIMARY KEY, taken BIGINT NOT NULL)",
      },
  };
}

int64_t stored_version(SqlConnection& connection) {
  const SqlResult result = connection.execute("SELECT version FROM dietmt_schema");
  if (!result.rows.empty()) return result.rows[0].integer(0);
  connection.execute("INSERT INTO dietmt_schema VALUES (0)");
  return 0;
}

}  // namespace

void set_up_job_schema(SqlDatabase& database) {
  const std::vector<Statements> steps = migrations(database.dialect());
  const auto newest = static_cast<int64_t>(steps.size());
  database.transaction([&](SqlConnection& connection) {
    for (const std::string& statement : database.dialect().before_setup)
      connection.execute(statement);
    connection.execute("CREATE TABLE IF NOT EXISTS dietmt_schema (version BIGINT NOT NULL)");
    const int64_t version = stored_version(connection);
    if (version > newest)
      throw Error(database.name() + ": the job queue was created by a newer dietmt (version " +
                  std::to_string(version) + " of its tables; this dietmt supports " +
                  std::to_string(newest) + ")");
    for (int64_t step = version; step < newest; ++step)
      for (const std::string& statement : steps[static_cast<size_t>(step)])
        connection.execute(statement);
    // A queue on a full disk can still be opened and read.
    if (version < newest) connection.execute("UPDATE dietmt_schema SET version = $1", {newest});
    return version;
  });
}

}  // namespace dietmt::service
