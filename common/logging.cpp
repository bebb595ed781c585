#include "common/logging.h"

#include <spdlog/cfg/env.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/error.h"

namespace dietmt {
namespace {

using spdlog::details::log_msg;

bool quiet_stderr = false;
LogFormat log_format = LogFormat::kText;

thread_local LogRequest* current_request = nullptr;

void append(std::string_view text, spdlog::memory_buf_t& to) {
  to.append(text.data(), text.data() + text.size());
}

std::string json_text(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The message with its request; in JSON as the last members of the object.
template <bool kJson>
class MessageFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const log_msg& message, const std::tm& /*time*/, spdlog::memory_buf_t& to) override {
    const std::string_view text(message.payload.data(), message.payload.size());
    append(kJson ? "\"message\":" + json_text(text) : std::string(text), to);
    if (current_request == nullptr) return;
    const std::string& id = current_request->id();
    append(kJson ? ",\"request\":" + json_text(id) : " (request " + id + ")", to);
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<MessageFlag>();
  }
};

template <bool kJson>
std::unique_ptr<spdlog::formatter> formatter(const std::string& pattern) {
  auto made = std::make_unique<spdlog::pattern_formatter>();
  made->template add_flag<MessageFlag<kJson>>('*').set_pattern(pattern);
  return made;
}

// For a file, or for stderr when it is not a terminal.
std::unique_ptr<spdlog::formatter> timed_formatter() {
  return formatter<false>("%Y-%m-%d %H:%M:%S %l: %*");
}

}  // namespace

LogFormat parse_log_format(const std::string& name) {
  if (name == "text") return LogFormat::kText;
  if (name == "json") return LogFormat::kJson;
  throw ConfigError("--log-format " + name + " is neither text nor json");
}

void init_logging() {
  spdlog::set_default_logger(spdlog::stderr_color_mt("dietmt"));
  set_log_format(LogFormat::kText);
  spdlog::cfg::load_env_levels();
}

void set_logging(bool quiet, const std::string& file) {
  spdlog::logger& logger = *spdlog::default_logger();
  quiet_stderr = quiet;
  if (quiet) logger.sinks().front()->set_level(spdlog::level::warn);
  if (file.empty()) return;
  try {
    const auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    sink->set_formatter(timed_formatter());
    logger.sinks().push_back(sink);
  } catch (const spdlog::spdlog_ex&) {
    throw ConfigError("--log-file " + file + ": cannot be opened: " + std::strerror(errno));
  }
  logger.flush_on(spdlog::level::trace);
}

void log_fatal_error(const std::string& message) {
  if (log_format == LogFormat::kJson) return spdlog::error("{}", message);
  std::cerr << "error: " << message << std::endl;
  spdlog::sinks::sink& terminal = *spdlog::default_logger()->sinks().front();
  const auto level = terminal.level();
  terminal.set_level(spdlog::level::off);
  spdlog::error("{}", message);
  terminal.set_level(level);
}

bool is_quiet() { return quiet_stderr; }

void set_log_format(LogFormat format) {
  log_format = format;
  const auto& sinks = spdlog::default_logger()->sinks();
  for (const auto& sink : sinks)
    sink->set_formatter(format == LogFormat::kJson ? json_log_formatter() : timed_formatter());
  if (format == LogFormat::kText && isatty(STDERR_FILENO) != 0)
    sinks.front()->set_formatter(formatter<false>("%^%l%$: %*"));
}

std::unique_ptr<spdlog::formatter> json_log_formatter() {
  return formatter<true>(R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%*})");
}

void change_log_level(int steps) {
  using namespace spdlog::level;
  const int level = std::clamp(static_cast<int>(spdlog::get_level()) - steps,
                               static_cast<int>(trace), static_cast<int>(err));
  spdlog::set_level(static_cast<level_enum>(level));
  spdlog::log(std::max(static_cast<level_enum>(level), info), "log level: {}",
              spdlog::level::to_string_view(static_cast<level_enum>(level)));
}

LogRequest::LogRequest(std::string id) : id_(std::move(id)) { current_request = this; }

LogRequest::~LogRequest() { current_request = nullptr; }

void LogRequest::set_user(const std::string& user) {
  if (current_request != nullptr) current_request->user_ = user;
}

}  // namespace dietmt
