// The access log: one line per answer, including the connection layer's own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "common/logging.h"
#include "service/http/message.h"

namespace spdlog {
class logger;
}

namespace dietmt::service {

struct AccessRecord {
  std::string id;  // of the request; also in its answer and in messages about it
  std::string client;
  std::string user = {};  // the owner of its API key; empty: unknown
  const RequestHead& head;
  int status = 0;
  uint64_t bytes = 0;  // of the answer's body
  std::chrono::duration<double> time{};
};

/// A record's line, without its end. kText: the combined format of Apache and nginx, followed by
/// the request's id and the seconds. Queries are left out, since they may contain keys and texts.
std::string access_line(const AccessRecord& record, LogFormat format,
                        std::chrono::system_clock::time_point now);

/// `given` (from X-Request-ID) if it is short and plain, else a new random id.
std::string request_id(const std::string& given);

/// Thread-safe.
class AccessLog {
 public:
  /// `file`: to append to; "-": stderr. Throws ConfigError if it cannot be written.
  AccessLog(std::string file, LogFormat format);

  void write(const AccessRecord& record);

  /// Continues in a new file with the same name, for log rotation. If that cannot be written,
  /// throws ConfigError and continues in the old one.
  void reopen();

 private:
  std::shared_ptr<spdlog::logger> open() const;

  const std::string file_;
  const LogFormat format_;
  std::mutex mutex_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace dietmt::service
