#include "service/jobs/sql_database.h"

#include <spdlog/spdlog.h>

#include "common/numbers.h"

namespace dietmt::service {

const std::string& SqlRow::text(size_t column) const {
  static const std::string empty;
  const std::optional<std::string>& value = columns_.at(column);
  return value ? *value : empty;
}

int64_t SqlRow::integer(size_t column) const { return optional_integer(column).value_or(0); }

std::optional<int64_t> SqlRow::optional_integer(size_t column) const {
  if (is_null(column)) return std::nullopt;
  const std::string& digits = text(column);
  if (const auto value = number_in<int64_t>(digits)) return value;
  throw Error("the database returned \"" + digits + "\" instead of a whole number");
}

void log_job_failure(const char* what, const std::exception& error) {
  const bool is_known = dynamic_cast<const DatabaseUnavailableError*>(&error) != nullptr;
  spdlog::log(is_known ? spdlog::level::debug : spdlog::level::warn, "batch jobs: {}: {}", what,
              error.what());
}

SqlResult SqlDatabase::execute(const std::string& statement,
                               std::initializer_list<SqlValue> parameters) {
  SqlResult result;
  give_back(start(statement, parameters, result));
  return result;
}

std::unique_ptr<SqlConnection> SqlDatabase::take_idle() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<SqlConnection> connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void SqlDatabase::give_back(std::unique_ptr<SqlConnection> connection) {
  if (!connection->usable()) return;
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(connection));
}

// An idle connection may have been lost, so only a new one shows whether the database is down.
std::unique_ptr<SqlConnection> SqlDatabase::start(const std::string& statement,
                                                  std::initializer_list<SqlValue> parameters,
                                                  SqlResult& result) {
  while (std::unique_ptr<SqlConnection> connection = take_idle()) {
    try {
      result = connection->execute(statement, parameters);
      return connection;
    } catch (const Error&) {
      if (connection->usable()) throw;
    }
  }
  try {
    std::unique_ptr<SqlConnection> connection = connect();
    result = connection->execute(statement, parameters);
    if (is_down_.exchange(false)) spdlog::info("batch jobs: {} responds again", name());
    return connection;
  } catch (const SqlConflictError&) {
    throw;
  } catch (const DatabaseUnavailableError& error) {
    if (!is_down_.exchange(true)) spdlog::warn("batch jobs: no database: {}", error.what());
    throw;
  }
}

std::unique_ptr<SqlConnection> SqlDatabase::begin() {
  SqlResult none;
  return start(dialect().begin, {}, none);
}

void SqlDatabase::roll_back(std::unique_ptr<SqlConnection> connection) {
  try {
    connection->execute("ROLLBACK");
    give_back(std::move(connection));
  } catch (const Error&) {
    // Closing the connection also rolls the transaction back.
  }
}

}  // namespace dietmt::service
