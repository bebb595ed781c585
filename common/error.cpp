#include "common/error.h"

namespace dietmt {

std::string joined_lines(const std::vector<std::string>& problems) {
  std::string joined;
  for (const std::string& problem : problems) joined += (joined.empty() ? "" : "\n") + problem;
  return joined;
}

}  // namespace dietmt
