// Many processes and threads that share a queue; migrations; lost and invalid databases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/common/file_size_limit.h"
#include "tests/service/jobs/job_queue_fixture.h"

namespace dietmt::service {
namespace {

using ::testing::HasSubstr;

class JobDatabaseTest : public JobQueueTest {};

TEST_P(JobDatabaseTest, AnotherProcessSeesTheSameJobs) {
  std::string id;
  {
    JobQueue queue = make_queue();
    id = submit(queue, "a\n");
  }
  JobQueue queue = make_queue();
  EXPECT_EQ(status(queue, id).lines, 1);
}

TEST_P(JobDatabaseTest, AQueueOnAFullDiskCanBeOpenedAndRead) {
  if (GetParam() == "postgresql") GTEST_SKIP() << "the server writes in another process";
  JobQueue first = make_queue();
  const std::string id = submit(first, "a\n");
  const FileSizeLimit full(0);
  JobQueue queue = make_queue();
  EXPECT_EQ(status(queue, id).lines, 1);
  EXPECT_THROW(submit(queue, "b\n"), StorageFullError);
}

TEST_P(JobDatabaseTest, TablesOfANewerVersionAreRefused) {
  make_queue().database().execute("UPDATE dietmt_schema SET version = 99");
  try {
    make_queue();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("newer dietmt (version 99"));
  }
}

TEST_P(JobDatabaseTest, ChunksBelongToAJob) {
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\nb\n", 1);
  EXPECT_THROW(queue.database().execute("UPDATE dietmt_chunks SET job = 'none' WHERE number = 0"),
               Error);
  queue.database().execute("DELETE FROM dietmt_jobs WHERE id = $1", {id});
  EXPECT_EQ(count(queue, "dietmt_chunks"), 0);
}

// Version 1 had no foreign key, and its sweep could leave chunks without a job.
TEST_P(JobDatabaseTest, TablesOfVersion1AreMigrated) {
  const std::unique_ptr<SqlDatabase> old = open();
  old->transaction([&](SqlConnection& connection) {
    const std::string bytes = old->dialect().bytes;
    for (const std::string& statement :
         {std::string("CREATE TABLE dietmt_schema (version BIGINT NOT NULL)"),
          std::string("INSERT INTO dietmt_schema VALUES (1)"),
          std::string("CREATE TABLE dietmt_jobs (id TEXT PRIMARY KEY, owner TEXT NOT NULL, "
                      "options TEXT NOT NULL, state TEXT NOT NULL, lines BIGINT NOT NULL, "
                      "chunks BIGINT NOT NULL, lines_done BIGINT NOT NULL, "
                      "chunks_done BIGINT NOT NULL, bad_lines BIGINT NOT NULL, "
                      "created BIGINT NOT NULL, touched BIGINT NOT NULL, started BIGINT, "
                      "finished BIGINT, error TEXT)"),
          std::string("CREATE INDEX dietmt_jobs_of_owner ON dietmt_jobs (owner, created, id)"),
          std::string("CREATE INDEX dietmt_jobs_active ON dietmt_jobs (touched) "
                      "WHERE state IN ('queued', 'running')"),
          "CREATE TABLE dietmt_chunks (job TEXT NOT NULL, number BIGINT NOT NULL, "
          "first_line BIGINT NOT NULL, lines BIGINT NOT NULL, done INTEGER NOT NULL, "
          "attempts INTEGER NOT NULL, losses INTEGER NOT NULL, lease TEXT, worker TEXT, "
          "free_from BIGINT NOT NULL, bad_lines TEXT, input " +
              bytes + ", output " + bytes + ", PRIMARY KEY (job, number))",
          std::string("CREATE INDEX dietmt_chunks_open ON dietmt_chunks (job, number) "
                      "WHERE done = 0"),
          std::string("CREATE INDEX dietmt_chunks_leased ON dietmt_chunks (worker) "
                      "WHERE done = 0 AND lease IS NOT NULL")})
      connection.execute(statement);
    connection.execute(
        "INSERT INTO dietmt_jobs VALUES ('j', '', $1, 'queued', 1, 1, 0, 0, 0, 1, 0, NULL, NULL, "
        "NULL)",
        {JobOptions().to_json().dump()});
    for (const char* job : {"j", "orphan"})
      connection.execute(
          "INSERT INTO dietmt_chunks VALUES ($1, 0, 1, 1, 0, 0, 0, NULL, NULL, 0, NULL, $2, NULL)",
          {job, SqlBytes{"a\n"}});
    return 0;
  });
  JobQueue queue = make_queue();
  EXPECT_EQ(count(queue, "dietmt_chunks"), 1);
  const TakenChunk chunk = queue.take("w", kLong).value();
  EXPECT_EQ(chunk.input.text, "a\n");
  EXPECT_TRUE(queue.complete(chunk, {"A\n", {}}));
  EXPECT_TRUE(queue.remove("", "j"));
  EXPECT_EQ(count(queue, "dietmt_chunks"), 0);
}

// Their segments were text with tags in it.
TEST_P(JobDatabaseTest, DocumentsOfVersion5MustBeSubmittedAgain) {
  const auto submit_document = [&](JobQueue& queue) {
    JobOptions options;
    options.document = DocumentKind::kHtml;
    JobUpload upload = queue.start_upload({}, options);
    upload.attach("<p>a</p>");
    upload.append({{1, "{\"text\":\"a\"}\n"}});
    return upload.finish();
  };
  std::string document, lines;
  {
    JobQueue queue = make_queue();
    document = submit_document(queue);
    lines = submit(queue, "a\n");
    for (const std::string table : {"dietmt_jobs", "dietmt_chunks"})  // a column of version 7
      queue.database().execute("ALTER TABLE " + table + " DROP COLUMN guarded_lines");
    for (const std::string table :
         {"dietmt_dictionaries", "dietmt_glossaries", "dietmt_turns"})  // of version 8
      queue.database().execute("DROP TABLE " + table);
    queue.database().execute("UPDATE dietmt_schema SET version = 5");
  }
  JobQueue queue = make_queue();
  EXPECT_EQ(status(queue, document).state, JobState::kFailed);
  EXPECT_TRUE(status(queue, document).finished);
  EXPECT_THAT(status(queue, document).error,
              HasSubstr("earlier version of dietmt; submit it again"));
  EXPECT_EQ(status(queue, lines).state, JobState::kQueued);
  EXPECT_EQ(status(queue, submit_document(queue)).state, JobState::kQueued);
}

TEST_P(JobDatabaseTest, AtOnceManyThreadsTakeEachChunkOnce) {
  JobQueue queue = make_queue();
  std::string text;
  for (int i = 0; i < 60; ++i) text += std::to_string(i) + "\n";
  const std::string ids[] = {submit(queue, text, 1), submit(queue, text, 1)};
  JobQueue other = make_queue();
  std::atomic<int> completed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      JobQueue& mine = i % 2 == 0 ? queue : other;
      while (mine.find("", ids[0])->state != JobState::kDone ||
             mine.find("", ids[1])->state != JobState::kDone)
        if (const auto chunk = mine.take("w" + std::to_string(i), kLong))
          if (mine.complete(*chunk, {"<" + chunk->input.text, {}})) ++completed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completed, 120);
  std::string expected;
  for (int i = 0; i < 60; ++i) expected += "<" + std::to_string(i) + "\n";
  for (const std::string& id : ids) {
    EXPECT_EQ(result(queue, id), expected);
    EXPECT_EQ(status(queue, id).lines_done, 60);
  }
}

TEST_P(JobDatabaseTest, JobsThatArriveAtOnceDoNotExceedAQuota) {
  JobQueue queue = make_queue();
  JobQueue other = make_queue();
  std::atomic<int> accepted = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int job = 0; job < 5; ++job) {
        try {
          JobUpload upload =
              (i % 2 == 0 ? queue : other).start_upload({"key", ""}, {}, {.jobs = 3});
          upload.append({{1, "a\n"}});
          upload.finish();
          ++accepted;
        } catch (const JobQuotaError&) {
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(accepted, 3);
}

TEST_P(JobDatabaseTest, ManyProcessesMayStartAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> opened = 0;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] {
      make_queue();
      ++opened;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened, 6);
}

// Each round has a chance of a few per cent that two threads switch the journal at once.
TEST_F(ScratchTest, ManyThreadsMaySetUpOneSqliteFile) {
  std::atomic<int> opened = 0;
  for (int round = 0; round < 200; ++round) {
    const std::filesystem::path file = scratch() / (std::to_string(round) + ".sqlite");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        try {
          open_sqlite(file)->execute("PRAGMA user_version");
          ++opened;
        } catch (const Error& error) {
          ADD_FAILURE() << error.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(opened, 800);
}

TEST_P(JobDatabaseTest, LostConnectionsAreReplaced) {
  if (GetParam() != "postgresql") GTEST_SKIP() << "SQLite has no connection to lose";
  JobQueue queue = make_queue();
  const std::string id = submit(queue, "a\n");
  open()->execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
      "AND datname = current_database()");
  EXPECT_EQ(status(queue, id).lines, 1);
  EXPECT_TRUE(queue.take("w", kLong));
}

TEST_P(JobDatabaseTest, WorkThatThrowsIsUndone) {
  JobQueue queue = make_queue();
  submit(queue, "a\n");
  EXPECT_THROW(queue.database().transaction([](SqlConnection& connection) {
    connection.execute("DELETE FROM dietmt_chunks");
    throw Error("changed my mind");
    return 0;
  }),
               Error);
  EXPECT_EQ(count(queue, "dietmt_chunks"), 1);
}

INSTANTIATE_TEST_SUITE_P(Databases, JobDatabaseTest, both_databases(), database_name);

TEST(OpenJobDatabaseTest, PlacesThatAreNone) {
  EXPECT_THROW(open_job_database("mysql://host/db", "unused"), ConfigError);
}

#ifdef DIETMT_POSTGRESQL
TEST(OpenJobDatabaseTest, PostgresqlThatDoesNotAnswer) {
  EXPECT_THROW(open_job_database("postgresql://host/mt?nonsense=1", "unused"), ConfigError);
  EXPECT_THROW(JobQueue(open_job_database("postgresql:///x?host=/nonexistent", "unused")),
               DatabaseUnavailableError);
}

TEST(OpenJobDatabaseTest, PasswordsAreNotShown) {
  const auto database = open_job_database("postgresql://me:secret@db.example/mt", "unused");
  EXPECT_EQ(database->name(), "postgresql://db.example/mt");
}
#else
TEST(OpenJobDatabaseTest, BuildsWithoutPostgresqlSaySo) {
  EXPECT_THROW(
      {
        try {
          open_job_database("postgresql://host/mt", "unused");
        } catch (const ConfigError& error) {
          EXPECT_NE(std::string(error.what()).find("built without PostgreSQL"), std::string::npos);
          throw;
        }
      },
      ConfigError);
}
#endif

}  // namespace
}  // namespace dietmt::service
