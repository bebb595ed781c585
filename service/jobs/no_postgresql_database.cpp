// Replaces postgresql_database.cpp in builds without the PostgreSQL client library.
#include "service/jobs/sql_database.h"

namespace dietmt::service {

std::unique_ptr<SqlDatabase> open_postgresql(const std::string&) {
  throw ConfigError(
      "--queue: this dietmt was built without PostgreSQL. Leave --queue out to keep the jobs in "
      "SQLite, or install libpq-dev and build dietmt again.");
}

}  // namespace dietmt::service
