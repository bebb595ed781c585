// The little of SQL that the job queue needs: statements with parameters, transactions, a pool of
// connections. SQLite and PostgreSQL stand behind it. Statements are written so that both
// understand them ($1, $2, ... for parameters); where they differ, SqlDialect has the words.
#pragma once

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

/// The disk of the database is full; what was being written is undone.
class StorageFullError : public Error {
 public:
  using Error::Error;
};

/// The database does not answer, for now.
class DatabaseUnavailableError : public Error {
 public:
  using Error::Error;
};

/// Two transactions stood in each other's way, and this one was undone: it may be tried again.
class SqlConflictError : public DatabaseUnavailableError {
 public:
  using DatabaseUnavailableError::DatabaseUnavailableError;
};

/// A parameter that is bytes, not text: any bytes, UTF-8 or not.
struct SqlBytes {
  std::string_view bytes;
};
using SqlValue = std::variant<std::nullptr_t, int64_t, std::string_view, SqlBytes>;

/// One row of an answer.
class SqlRow {
 public:
  explicit SqlRow(std::vector<std::optional<std::string>> columns) : columns_(std::move(columns)) {}

  bool is_null(size_t column) const { return !columns_.at(column); }
  /// Text, or the bytes of bytes; empty for NULL.
  const std::string& text(size_t column) const;
  /// 0 for NULL.
  int64_t integer(size_t column) const;
  std::optional<int64_t> optional_integer(size_t column) const;

 private:
  std::vector<std::optional<std::string>> columns_;
};

struct SqlResult {
  std::vector<SqlRow> rows;
  int64_t changed = 0;  // rows that an UPDATE, INSERT or DELETE has changed
};

/// One connection, for one thread at a time.
class SqlConnection {
 public:
  virtual ~SqlConnection() = default;

  /// Runs one statement. Throws StorageFullError, SqlConflictError, DatabaseUnavailableError or,
  /// for anything else, Error.
  virtual SqlResult execute(const std::string& statement,
                            std::initializer_list<SqlValue> parameters = {}) = 0;

  /// False once the connection is lost.
  virtual bool usable() const = 0;
};

/// Where the two databases differ. Both have a function dietmt_now(): microseconds since 1970 by
/// the clock of the database, so that the clocks of workers do not matter.
struct SqlDialect {
  std::string begin;                      // starts a transaction that will write
  std::string bytes;                      // the type of a column of bytes
  std::string skip_locked;                // at the end of a SELECT: locks rows, passes over locked
  std::string lock_name;                  // makes transactions with the same text $1 take turns;
                                          // empty where all transactions that write do
  std::vector<std::string> before_setup;  // in the transaction that makes the tables, first
};

/// A database and its open connections.
class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;

  virtual const SqlDialect& dialect() const = 0;
  /// The place of the database as a user may see it, without a password.
  virtual std::string name() const = 0;
  /// Returns what was freed by deletions to the disk, where the database does not by itself.
  virtual void shrink() {}

  /// One statement in a transaction of its own.
  SqlResult execute(const std::string& statement, std::initializer_list<SqlValue> parameters = {});

  /// The same; when it returns, a power cut will not undo it, nor what came before it. Other
  /// transactions a power cut may undo, the last ones first; a crash of the program does not.
  virtual SqlResult execute_durably(const std::string& statement,
                                    std::initializer_list<SqlValue> parameters) {
    return execute(statement, parameters);
  }

  /// Calls `work(connection)` in a transaction: what it throws undoes all. Work that met a conflict
  /// is called again.
  template <class Work>
  auto transaction(Work&& work) {
    for (int attempt = 1;; ++attempt) {
      std::unique_ptr<SqlConnection> connection = begin();
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

 private:
  static constexpr int kAttempts = 5;

  virtual std::unique_ptr<SqlConnection> connect() = 0;

  std::unique_ptr<SqlConnection> take_idle();
  void give_back(std::unique_ptr<SqlConnection> connection);
  // The connection that has run the statement.
  std::unique_ptr<SqlConnection> start(const std::string& statement,
                                       std::initializer_list<SqlValue> parameters,
                                       SqlResult& result);
  std::unique_ptr<SqlConnection> begin();
  void roll_back(std::unique_ptr<SqlConnection> connection);

  std::mutex mutex_;
  std::vector<std::unique_ptr<SqlConnection>> idle_;
};

/// One file with a write-ahead log, whole after a crash of the program or the machine. Several
/// processes of one machine may use it.
std::unique_ptr<SqlDatabase> open_sqlite(const std::filesystem::path& file);

/// `uri`: postgresql://[user[:password]@][host][:port]/database[?parameter=value...]
std::unique_ptr<SqlDatabase> open_postgresql(const std::string& uri);

}  // namespace dietmt::service
