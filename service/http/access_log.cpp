#include "service/http/access_log.h"

#include <spdlog/fmt/chrono.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "common/error.h"

namespace dietmt::service {
namespace {

constexpr size_t kLongestId = 128;
constexpr std::string_view kLogger = "access";

std::string or_dash(std::string_view text) { return text.empty() ? "-" : std::string(text); }

// Escapes characters that would end a field or a line, like nginx.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\')
      safe += fmt::format("\\x{:02X}", byte);
    else
      safe += c;
  }
  return or_dash(safe);
}

std::string text_line(const AccessRecord& record, std::time_t now) {
  const RequestHead& head = record.head;
  const std::string request = head.method.empty()
                                  ? "-"
                                  : fmt::format("{} {} HTTP/1.{}", head.method,
                                                escaped(head.logged_path()), head.http_1_0 ? 0 : 1);
  return fmt::format("{} - {} [{:%d/%b/%Y:%H:%M:%S +0000}] \"{}\" {} {} \"{}\" \"{}\" {} {:.6f}",
                     record.client, escaped(record.user), fmt::gmtime(now), request, record.status,
                     record.bytes, escaped(without_query(head.field("Referer"))),
                     escaped(head.field("User-Agent")), record.id, record.time.count());
}

std::string json_line(const AccessRecord& record, std::time_t now) {
  using nlohmann::ordered_json;
  const ordered_json line = {{"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                             {"request", record.id},
                             {"client", record.client},
                             {"user", record.user},
                             {"method", record.head.method},
                             {"path", record.head.logged_path()},
                             {"status", record.status},
                             {"bytes", record.bytes},
                             {"seconds", record.time.count()},
                             {"agent", record.head.field("User-Agent")}};
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string access_line(const AccessRecord& record, LogFormat format,
                        std::chrono::system_clock::time_point now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  return format == LogFormat::kJson ? json_line(record, seconds) : text_line(record, seconds);
}

std::string request_id(const std::string& given) {
  const bool is_plain = std::all_of(given.begin(), given.end(), [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ':');
  });
  if (!given.empty() && given.size() <= kLongestId && is_plain) return given;
  thread_local std::mt19937_64 generator{std::random_device()()};
  return fmt::format("{:016x}", generator());
}

AccessLog::AccessLog(std::string file, LogFormat format)
    : file_(std::move(file)), format_(format), logger_(open()) {}

void AccessLog::write(const AccessRecord& record) {
  const std::string line = access_line(record, format_, std::chrono::system_clock::now());
  const std::lock_guard lock(mutex_);
  logger_->info(line);
}

void AccessLog::reopen() {
  std::shared_ptr<spdlog::logger> fresh = open();
  const std::lock_guard lock(mutex_);
  logger_ = std::move(fresh);
}

std::shared_ptr<spdlog::logger> AccessLog::open() const {
  try {
    spdlog::sink_ptr sink;
    if (file_ == "-")
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    else
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file_);
    auto logger = std::make_shared<spdlog::logger>(std::string(kLogger), std::move(sink));
    logger->set_pattern("%v");
    logger->flush_on(spdlog::level::info);
    return logger;
  } catch (const spdlog::spdlog_ex& error) {
    throw ConfigError("--access-log: " + std::string(error.what()));
  }
}

}  // namespace dietmt::service
