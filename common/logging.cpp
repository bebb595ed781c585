#include "common/logging.h"

#include <spdlog/cfg/env.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "common/error.h"

namespace dietmt {
namespace {

constexpr const char* kTimedPattern = "%Y-%m-%d %H:%M:%S %l: %v";

bool quiet_stderr = false;

}  // namespace

void init_logging() {
  auto logger = spdlog::stderr_color_mt("dietmt");
  logger->set_pattern(isatty(STDERR_FILENO) ? "%^%l%$: %v" : kTimedPattern);
  spdlog::set_default_logger(std::move(logger));
  spdlog::cfg::load_env_levels();
}

void set_logging(bool quiet, const std::string& file) {
  spdlog::logger& logger = *spdlog::default_logger();
  quiet_stderr = quiet;
  if (quiet) logger.sinks().front()->set_level(spdlog::level::warn);
  if (file.empty()) return;
  try {
    const auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    sink->set_pattern(kTimedPattern);
    logger.sinks().push_back(sink);
  } catch (const spdlog::spdlog_ex&) {
    throw ConfigError("--log-file " + file + ": cannot be opened: " + std::strerror(errno));
  }
  logger.flush_on(spdlog::level::trace);
}

bool is_quiet() { return quiet_stderr; }

}  // namespace dietmt
