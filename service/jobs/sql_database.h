// The SQL interface of the job queue: statements with parameters ($1, $2, ...), transactions, and a
// pool of connections, for SQLite and PostgreSQL. Statements must work in both; SqlDialect has the
// parts that differ.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.h"

namespace dietmt::service {

/// The database's disk is full; the transaction was rolled back.
class StorageFullError : public Error {
 public:
  using Error::Error;
};

/// The database does not respond at the moment.
class DatabaseUnavailableError : public Error {
 public:
  using Error::Error;
};

/// The transaction was rolled back because of a conflict and can be retried.
class SqlConflictError : public DatabaseUnavailableError {
 public:
  using DatabaseUnavailableError::DatabaseUnavailableError;
};

/// A parameter with arbitrary bytes instead of UTF-8 text.
struct SqlBytes {
  std::string_view bytes;
};
using SqlValue = std::variant<std::nullptr_t, int64_t, std::string_view, SqlBytes>;

/// One row of a result.
class SqlRow {
 public:
  explicit SqlRow(std::vector<std::optional<std::string>> columns) : columns_(std::move(columns)) {}

  bool is_null(size_t column) const { return !columns_.at(column); }
  /// Text or bytes; empty for NULL.
  const std::string& text(size_t column) const;
  /// 0 for NULL.
  int64_t integer(size_t column) const;
  std::optional<int64_t> optional_integer(size_t column) const;

 private:
  std::vector<std::optional<std::string>> columns_;
};

struct SqlResult {
  std::vector<SqlRow> rows;
  int64_t changed = 0;  // rows changed by UPDATE, INSERT or DELETE
};

/// One connection, for one thread at a time.
class SqlConnection {
 public:
  virtual ~SqlConnection() = default;

  /// Runs one statement. Throws StorageFullError, SqlConflictError, DatabaseUnavailableError or,
  /// for anything else, Error.
  virtual SqlResult execute(const std::string& statement,
                            std::initializer_list<SqlValue> parameters = {}) = 0;

  /// False if the connection is lost, or usable for only one transaction.
  virtual bool usable() const = 0;
};

/// Differences between the databases. Both have a function dietmt_now(): microseconds since 1970 by
/// the database's clock, so that workers' clocks do not matter.
struct SqlDialect {
  std::string begin;        // starts a writing transaction
  std::string bytes;        // type of a bytes column
  std::string skip_locked;  // ends a SELECT: locks rows, skips locked ones
  std::string lock_name;    // serialises transactions with the same text $1; empty if all writing
                            // transactions are serial
  std::vector<std::string> before_setup;  // starts the transaction that sets up the tables
};

/// What a transaction's changes survive. A power cut may undo the last ones of kCrash, but not
/// those before one of kPowerCut.
enum class Survives { kCrash, kPowerCut };

/// Logs what failed and why; at level debug if the database does not respond, since SqlDatabase
/// logs when that begins and ends.
void log_job_failure(const char* what, const std::exception& error);

/// A database and its open connections. Logs when it stops responding, and when it responds again.
class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;

  virtual const SqlDialect& dialect() const = 0;
  /// The location of the database without a password, for messages.
  virtual std::string name() const = 0;
  /// Returns free space to the disk, if the database does not do it by itself.
  virtual void shrink() {}

  /// Runs one statement in a separate transaction.
  SqlResult execute(const std::string& statement, std::initializer_list<SqlValue> parameters = {});

  /// Calls `work(connection)` in a transaction, rolls it back on an exception, and retries it after
  /// a conflict.
  template <class Work>
  auto transaction(Work&& work, Survives survives = Survives::kCrash) {
    for (int attempt = 1;; ++attempt) {
      std::unique_ptr<SqlConnection> connection =
          survives == Survives::kPowerCut ? begin_durably() : begin();
      try {
        auto result = work(*connection);
        connection->execute("COMMIT");
        give_back(std::move(connection));
        return result;
      } catch (const SqlConflictError&) {
        roll_back(std::move(connection));
        if (attempt == kAttempts) throw;
      } catch (...) {
        roll_back(std::move(connection));
        throw;
      }
    }
  }

 protected:
  std::unique_ptr<SqlConnection> begin();

 private:
  static constexpr int kAttempts = 5;

  virtual std::unique_ptr<SqlConnection> connect() = 0;
  // Begins a transaction that a power cut does not undo.
  virtual std::unique_ptr<SqlConnection> begin_durably() { return begin(); }

  std::unique_ptr<SqlConnection> take_idle();
  void give_back(std::unique_ptr<SqlConnection> connection);
  // Returns the connection that ran the statement.
  std::unique_ptr<SqlConnection> start(const std::string& statement,
                                       std::initializer_list<SqlValue> parameters,
                                       SqlResult& result);
  void roll_back(std::unique_ptr<SqlConnection> connection);

  std::mutex mutex_;
  std::vector<std::unique_ptr<SqlConnection>> idle_;
  std::atomic<bool> is_down_ = false;
};

/// One file with a write-ahead log; consistent after a crash of the program or the machine. Several
/// processes on one machine can use it.
std::unique_ptr<SqlDatabase> open_sqlite(const std::filesystem::path& file);

/// `uri`: postgresql://[user[:password]@][host][:port]/database[?parameter=value...]
std::unique_ptr<SqlDatabase> open_postgresql(const std::string& uri);

}  // namespace dietmt::service
