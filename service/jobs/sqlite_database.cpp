#include <sqlite3.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "service/jobs/sql_database.h"

namespace dietmt::service {
namespace {

constexpr std::chrono::milliseconds kBusyTime{60'000};

void now(sqlite3_context* context, int, sqlite3_value**) {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  sqlite3_result_int64(context,
                       std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count());
}

class SqliteConnection : public SqlConnection {
 public:
  // `synchronous`: NORMAL, or FULL to sync the log at every commit. NORMAL connections can be
  // reused.
  SqliteConnection(const std::string& file, const std::string& synchronous)
      : file_(file), usable_(synchronous == "NORMAL") {
    const int code =
        sqlite3_open_v2(file.c_str(), &handle_,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    try {
      if (code != SQLITE_OK) fail();
      sqlite3_extended_result_codes(handle_, 1);
      sqlite3_busy_timeout(handle_, static_cast<int>(kBusyTime.count()));
      sqlite3_create_function(handle_, "dietmt_now", 0, SQLITE_UTF8, nullptr, now, nullptr,
                              nullptr);
      set_up_file();
      execute("PRAGMA journal_size_limit = 67108864");
      execute("PRAGMA synchronous = " + synchronous);
      execute("PRAGMA foreign_keys = ON");
    } catch (...) {
      sqlite3_close_v2(handle_);
      throw;
    }
  }
  ~SqliteConnection() override { sqlite3_close_v2(handle_); }
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  SqlResult execute(const std::string& statement,
                    std::initializer_list<SqlValue> parameters = {}) override {
    // SQLite rolls back the transaction itself if the disk is full.
    if (statement == "ROLLBACK" && sqlite3_get_autocommit(handle_) != 0) return {};
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(handle_, statement.c_str(), -1, &prepared, nullptr) != SQLITE_OK) fail();
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(prepared, sqlite3_finalize);
    bind(prepared, parameters);
    SqlResult result;
    int code = SQLITE_OK;
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) result.rows.push_back(row_of(prepared));
    if (code != SQLITE_DONE) fail();
    result.changed = sqlite3_changes(handle_);
    return result;
  }

  bool usable() const override { return usable_; }

 private:
  // If two connections set up a new file at once, SQLite refuses one without waiting, since each
  // would wait for the other.
  void set_up_file() {
    const auto deadline = std::chrono::steady_clock::now() + kBusyTime;
    for (;;) {
      try {
        // Takes effect only in an empty file, but would write to any file, which a full disk
        // prevents.
        if (execute("PRAGMA page_count").rows.at(0).integer(0) == 0)
          execute("PRAGMA auto_vacuum = INCREMENTAL");
        execute("PRAGMA journal_mode = WAL");
        return;
      } catch (const SqlConflictError&) {
        if (std::chrono::steady_clock::now() > deadline) throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
  }

  static void bind(sqlite3_stmt* statement, std::initializer_list<SqlValue> parameters) {
    int number = 0;
    for (const SqlValue& parameter : parameters) {
      const std::string name = "$" + std::to_string(++number);
      const int index = sqlite3_bind_parameter_index(statement, name.c_str());
      if (const auto* integer = std::get_if<int64_t>(&parameter))
        sqlite3_bind_int64(statement, index, *integer);
      else if (const auto* text = std::get_if<std::string_view>(&parameter))
        sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_STATIC,
                            SQLITE_UTF8);
      else if (const auto* bytes = std::get_if<SqlBytes>(&parameter))
        bind_bytes(statement, index, bytes->bytes);
      else
        sqlite3_bind_null(statement, index);
    }
  }

  // A null pointer would bind NULL.
  static void bind_bytes(sqlite3_stmt* statement, int index, std::string_view bytes) {
    if (bytes.empty())
      sqlite3_bind_zeroblob(statement, index, 0);
    else
      sqlite3_bind_blob64(statement, index, bytes.data(), bytes.size(), SQLITE_STATIC);
  }

  static SqlRow row_of(sqlite3_stmt* statement) {
    std::vector<std::optional<std::string>> columns(
        static_cast<size_t>(sqlite3_column_count(statement)));
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
      if (sqlite3_column_type(statement, i) == SQLITE_NULL) continue;
      const void* bytes = sqlite3_column_type(statement, i) == SQLITE_BLOB
                              ? sqlite3_column_blob(statement, i)
                              : sqlite3_column_text(statement, i);
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
      columns[static_cast<size_t>(i)].emplace(static_cast<const char*>(bytes), size);
    }
    return SqlRow(std::move(columns));
  }

  [[noreturn]] void fail() const {
    const std::string text = file_ + ": " + sqlite3_errmsg(handle_);
    const int system_error = sqlite3_system_errno(handle_);
    const int code = sqlite3_errcode(handle_) & 0xFF;
    // ENOSPC is SQLITE_FULL. A file size limit or a quota is a write error, and SQLite may lose its
    // errno while it rolls back.
    const bool is_limit =
        sqlite3_extended_errcode(handle_) == SQLITE_IOERR_WRITE && system_error != EIO;
    if (code == SQLITE_FULL || is_limit ||
        (code == SQLITE_IOERR &&
         (system_error == ENOSPC || system_error == EFBIG || system_error == EDQUOT)))
      throw StorageFullError(file_ + ": the disk is full");
    if (code == SQLITE_BUSY) throw SqlConflictError(text);
    throw Error(text);
  }

  std::string file_;
  bool usable_;
  sqlite3* handle_ = nullptr;
};

class SqliteDatabase : public SqlDatabase {
 public:
  explicit SqliteDatabase(const std::filesystem::path& file) : file_(file) {}

  const SqlDialect& dialect() const override {
    static const SqlDialect dialect = {"BEGIN IMMEDIATE", "BLOB", "", "", {}};
    return dialect;
  }
  std::string name() const override { return file_.string(); }

  // In steps, so that others can write in between. A checkpoint moves the shorter file out of the
  // log. Files from versions that did not set auto_vacuum stay unchanged.
  void shrink() override {
    int64_t before = INT64_MAX;
    for (int64_t free = free_pages(); free > 0 && free < before; free = free_pages()) {
      before = free;
      execute("PRAGMA incremental_vacuum(4096)");
    }
    execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }

 private:
  int64_t free_pages() { return execute("PRAGMA freelist_count").rows.at(0).integer(0); }
  std::unique_ptr<SqlConnection> begin_durably() override {
    auto connection = std::make_unique<SqliteConnection>(file_.string(), "FULL");
    connection->execute(dialect().begin);
    return connection;
  }
  std::unique_ptr<SqlConnection> connect() override {
    return std::make_unique<SqliteConnection>(file_.string(), "NORMAL");
  }

  std::filesystem::path file_;
};

}  // namespace

std::unique_ptr<SqlDatabase> open_sqlite(const std::filesystem::path& file) {
  return std::make_unique<SqliteDatabase>(file);
}

}  // namespace dietmt::service
