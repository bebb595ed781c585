// Logs go to stderr; stdout carries only results. Code logs with spdlog::info / warn / error.
#pragma once

#include <memory>
#include <string>

namespace spdlog {
class formatter;
}

namespace dietmt {

enum class LogFormat { kText, kJson };

/// Throws ConfigError unless `name` is text or json.
LogFormat parse_log_format(const std::string& name);

/// Sends spdlog to stderr with a short pattern (level and message; the time when stderr is a file).
/// The environment variable SPDLOG_LEVEL=debug shows more, SPDLOG_LEVEL=warn less.
void init_logging();

/// `quiet`: stderr gets only warnings and errors, and no progress bar. All messages are also
/// appended to `file` with the time, unless it is empty. Throws ConfigError if it cannot be opened.
void set_logging(bool quiet, const std::string& file);

/// An error that ends the program: on stderr `error: MESSAGE`, without the time. The file of
/// set_logging() gets it as any message, and so does stderr after set_log_format(kJson).
void log_fatal_error(const std::string& message);

/// True after set_logging() with `quiet`.
bool is_quiet();

/// Environment variable that `dietmt train --processes` sets for the processes that it starts. They
/// do not log that they lost each other: the launcher reports their end.
constexpr const char* kLaunchedVariable = "DIETMT_LAUNCHED";

/// kJson: from now on each message is one JSON object a line, with `time`, `level`, `message` and,
/// for a message about a request, `request`.
void set_log_format(LogFormat format);

/// A line of JSON as set_log_format(kJson) describes it.
std::unique_ptr<spdlog::formatter> json_log_formatter();

/// Logs `steps` levels more: 1 turns info into debug, -1 info into warn. Stays between trace and
/// error, and logs the new level.
void change_log_level(int steps);

/// While it lives, messages that the calling thread logs name the request that it serves.
class LogRequest {
 public:
  explicit LogRequest(std::string id);
  ~LogRequest();
  LogRequest(const LogRequest&) = delete;
  LogRequest& operator=(const LogRequest&) = delete;

  /// Who sent the request that the calling thread serves, if it serves one.
  static void set_user(const std::string& user);
  const std::string& user() const { return user_; }
  const std::string& id() const { return id_; }

 private:
  std::string id_;
  std::string user_;
};

}  // namespace dietmt
