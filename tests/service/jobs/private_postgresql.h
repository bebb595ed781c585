// A PostgreSQL server for one test program, in a temporary directory with a Unix socket; stopped
// and removed at the end.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace dietmt::service {

class PrivatePostgresql {
 public:
  /// The server of this program, started on the first call.
  static PrivatePostgresql& instance();

  /// Why there is no server; empty if there is one.
  const std::string& problem() const { return problem_; }

  /// Makes an empty database and returns its URI.
  std::string new_database();

 private:
  PrivatePostgresql();
  ~PrivatePostgresql();

  void start(const std::filesystem::path& programs);
  std::string uri(const std::string& database) const;

  std::filesystem::path folder_;
  std::string problem_;
  pid_t server_ = -1;
  int databases_ = 0;
};

}  // namespace dietmt::service
