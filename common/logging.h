// Logging. Logs go to stderr; stdout carries only results. Code calls spdlog::info / warn / error.
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

/// Sends spdlog to stderr with a short pattern: level and message, with the time if stderr is a
/// file. SPDLOG_LEVEL=debug in the environment shows more, SPDLOG_LEVEL=warn less.
void init_logging();

/// `quiet`: stderr gets only warnings and errors, and no progress bar. Unless `file` is empty, all
/// messages are also appended to it with the time. Throws ConfigError if it cannot be opened.
void set_logging(bool quiet, const std::string& file);

/// Logs the error that ends the program: `error: MESSAGE` on stderr, without the time. The file of
/// set_logging(), and stderr in JSON format, get it like any other message.
void log_fatal_error(const std::string& message);

/// True after set_logging() with `quiet`.
bool is_quiet();

/// Environment variable that `dietmt train --processes` sets for the processes it starts. They do
/// not log that they lost each other; the launcher does.
constexpr const char* kLaunchedVariable = "DIETMT_LAUNCHED";

/// kJson: each message becomes a line with a JSON object: `time`, `level`, `message` and, for
/// messages about a request, `request`.
void set_log_format(LogFormat format);

/// Formats messages as set_log_format(kJson) does.
std::unique_ptr<spdlog::formatter> json_log_formatter();

/// Raises verbosity by `steps` levels: 1 turns info into debug, -1 info into warn. Stays between
/// trace and error, and logs the new level.
void change_log_level(int steps);

/// While it lives, messages logged by the calling thread name the request being served.
class LogRequest {
 public:
  explicit LogRequest(std::string id);
  ~LogRequest();
  LogRequest(const LogRequest&) = delete;
  LogRequest& operator=(const LogRequest&) = delete;

  /// Sets who sent the request that the calling thread serves, if any.
  static void set_user(const std::string& user);
  const std::string& user() const { return user_; }
  const std::string& id() const { return id_; }

 private:
  std::string id_;
  std::string user_;
};

}  // namespace dietmt
