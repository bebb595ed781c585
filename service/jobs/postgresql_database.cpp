#include <libpq-fe.h>

#include <cstring>

#include "service/jobs/sql_database.h"

namespace dietmt::service {
namespace {

constexpr Oid kBytea = 17;

std::string without_line_end(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Parameters as libpq's arrays.
struct Parameters {
  explicit Parameters(std::initializer_list<SqlValue> given) {
    texts.reserve(given.size());
    for (const SqlValue& value : given) add(value);
  }

  void add(const SqlValue& value) {
    const auto* bytes = std::get_if<SqlBytes>(&value);
    if (const auto* integer = std::get_if<int64_t>(&value))
      texts.push_back(std::to_string(*integer));
    else if (const auto* text = std::get_if<std::string_view>(&value))
      texts.emplace_back(*text);  // libpq needs a terminating zero
    else
      texts.emplace_back();
    const bool is_null = std::holds_alternative<std::nullptr_t>(value);
    values.push_back(is_null ? nullptr : texts.back().c_str());
    if (bytes != nullptr && !bytes->bytes.empty()) values.back() = bytes->bytes.data();
    lengths.push_back(bytes != nullptr ? static_cast<int>(bytes->bytes.size()) : 0);
    formats.push_back(bytes != nullptr ? 1 : 0);
  }

  std::vector<std::string> texts;
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
};

class PostgresqlConnection : public SqlConnection {
 public:
  PostgresqlConnection(const std::string& uri, const std::string& name)
      : handle_(PQconnectdb(uri.c_str()), PQfinish), name_(name) {
    if (PQstatus(handle_.get()) != CONNECTION_OK)
      throw DatabaseUnavailableError(name_ + ": " +
                                     without_line_end(PQerrorMessage(handle_.get())));
    PQsetNoticeProcessor(
        handle_.get(), [](void*, const char*) {}, nullptr);
    PQsetClientEncoding(handle_.get(), "UTF8");
  }

  SqlResult execute(const std::string& statement,
                    std::initializer_list<SqlValue> parameters = {}) override {
    const Parameters given(parameters);
    const std::unique_ptr<PGresult, void (*)(PGresult*)> answer(
        PQexecParams(handle_.get(), statement.c_str(), static_cast<int>(given.values.size()),
                     nullptr, given.values.data(), given.lengths.data(), given.formats.data(), 0),
        PQclear);
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(answer.get());
    SqlResult result;
    for (int i = 0; i < PQntuples(answer.get()); ++i)
      result.rows.push_back(row_of(answer.get(), i));
    result.changed = std::atoll(PQcmdTuples(answer.get()));
    return result;
  }

  bool usable() const override { return PQstatus(handle_.get()) == CONNECTION_OK; }

 private:
  static SqlRow row_of(const PGresult* answer, int row) {
    std::vector<std::optional<std::string>> columns;
    for (int i = 0; i < PQnfields(answer); ++i) {
      if (PQgetisnull(answer, row, i)) {
        columns.emplace_back();
      } else if (PQftype(answer, i) == kBytea) {
        size_t size = 0;
        const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
            PQunescapeBytea(reinterpret_cast<unsigned char*>(PQgetvalue(answer, row, i)), &size),
            PQfreemem);
        if (!bytes) throw std::bad_alloc();
        columns.emplace_back(std::in_place, reinterpret_cast<const char*>(bytes.get()), size);
      } else {
        columns.emplace_back(std::in_place, PQgetvalue(answer, row, i),
                             static_cast<size_t>(PQgetlength(answer, row, i)));
      }
    }
    return SqlRow(std::move(columns));
  }

  // SQLSTATE classes: 53 insufficient resources, 53100 a full disk; 40 a transaction rolled back
  // because of a conflict; 57P the server is shutting down.
  [[noreturn]] void fail(const PGresult* answer) const {
    const char* field = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    const std::string_view code = field != nullptr ? field : "";
    const char* primary = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
    const std::string text =
        name_ + ": " +
        without_line_end(primary != nullptr ? primary : PQerrorMessage(handle_.get()));
    if (code == "53100") throw StorageFullError(name_ + ": the disk is full");
    if (code.starts_with("40")) throw SqlConflictError(text);
    if (!usable() || code.starts_with("53") || code.starts_with("57P"))
      throw DatabaseUnavailableError(text);
    throw Error(text);
  }

  std::unique_ptr<PGconn, void (*)(PGconn*)> handle_;
  std::string name_;
};

class PostgresqlDatabase : public SqlDatabase {
 public:
  explicit PostgresqlDatabase(const std::string& uri) : uri_(uri), name_(shown(uri)) {}

  const SqlDialect& dialect() const override {
    static const SqlDialect dialect = {
        "BEGIN",
        "BYTEA",
        " FOR UPDATE SKIP LOCKED",
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
        {// Without the lock, two processes that start at once would both create the tables.
         "SELECT pg_advisory_xact_lock(7233175126530716009)",
         "CREATE OR REPLACE FUNCTION dietmt_now() RETURNS BIGINT LANGUAGE SQL VOLATILE AS "
         "'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)'"}};
    return dialect;
  }
  std::string name() const override { return name_; }

 private:
  // Only host and database.
  static std::string shown(const std::string& uri) {
    char* problem = nullptr;
    const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
        PQconninfoParse(uri.c_str(), &problem), PQconninfoFree);
    const std::unique_ptr<char, void (*)(void*)> owner(problem, PQfreemem);
    if (!options)
      throw ConfigError("--queue: " + without_line_end(problem != nullptr ? problem : "no URI"));
    std::string host, database;
    for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
      if (option->val == nullptr) continue;
      if (std::strcmp(option->keyword, "host") == 0) host = option->val;
      if (std::strcmp(option->keyword, "dbname") == 0) database = option->val;
    }
    return "postgresql://" + host + "/" + database;
  }

  std::unique_ptr<SqlConnection> connect() override {
    return std::make_unique<PostgresqlConnection>(uri_, name_);
  }

  std::string uri_;
  std::string name_;
};

}  // namespace

std::unique_ptr<SqlDatabase> open_postgresql(const std::string& uri) {
  return std::make_unique<PostgresqlDatabase>(uri);
}

}  // namespace dietmt::service
