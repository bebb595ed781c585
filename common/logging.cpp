#include "common/logging.h"

#include <spdlog/cfg/env.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace dietmt {

void init_logging() {
  auto logger = spdlog::stderr_color_mt("dietmt");
  logger->set_pattern(isatty(STDERR_FILENO) ? "%^%l%$: %v" : "%Y-%m-%d %H:%M:%S %l: %v");
  spdlog::set_default_logger(std::move(logger));
  spdlog::cfg::load_env_levels();
}

}  // namespace dietmt
