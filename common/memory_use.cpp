#include "common/memory_use.h"

#include <fmt/format.h>

namespace dietmt {

std::string memory_problem(const std::string& what, double bytes) {
  const double available =
      static_cast<double>(available_memory()) + static_cast<double>(resident_memory());
  if (bytes <= available) return {};
  constexpr double kGigabyte = 1e9;
  return fmt::format("{}: needs about {:.1f} GB of memory, but only {:.1f} GB are available", what,
                     bytes / kGigabyte, available / kGigabyte);
}

}  // namespace dietmt
