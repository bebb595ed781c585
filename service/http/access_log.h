// The access log: one line for each answer, also for those that the connection layer gives itself.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/logging.h"
#include "service/http/message.h"

namespace spdlog {
class logger;
}

namespace dietmt::service {

struct AccessRecord {
  std::string id;  // of the request; also in its answer and in the messages about it
  std::string client;
  std::string user = {};  // whose API key it is; empty: unknown
  const RequestHead& head;
  int status = 0;
  uint64_t bytes = 0;  // of the answer's body
  std::chrono::duration<double> time{};
};

/// The line of a record, without its end. kText: the combined format of Apache and nginx, with the
/// request's id and the seconds behind it. Queries are left out: they may hold keys and texts.
std::string access_line(const AccessRecord& record, LogFormat format,
                        std::chrono::system_clock::time_point now);

/// `given` (of X-Request-ID) if it is short and plain, else a new random id.
std::string request_id(const std::string& given);

/// Thread-safe.
class AccessLog {
 public:
  /// `file`: is appended to; "-": stderr. Throws ConfigError if it cannot be written.
  AccessLog(std::string file, LogFormat format);

  void write(const AccessRecord& record);

  /// Goes on in a new file of the same name, for log rotation. Throws ConfigError, and goes on in
  /// the old one, if that cannot be written.
  void reopen() { logger_ = open(); }

 private:
  std::shared_ptr<spdlog::logger> open() const;

  const std::string file_;
  const LogFormat format_;
  std::atomic<std::shared_ptr<spdlog::logger>> logger_;
};

}  // namespace dietmt::service
