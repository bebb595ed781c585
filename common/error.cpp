#include "common/error.h"

namespace dietmt {
namespace {

std::string join_lines(const std::vector<std::string>& lines) {
  std::string joined;
  for (const std::string& line : lines) {
    if (!joined.empty()) joined += '\n';
    joined += line;
  }
  return joined;
}

}  // namespace

ConfigError::ConfigError(const std::vector<std::string>& problems) : Error(join_lines(problems)) {}

void throw_if_any(const std::vector<std::string>& problems) {
  if (!problems.empty()) throw ConfigError(problems);
}

}  // namespace dietmt
