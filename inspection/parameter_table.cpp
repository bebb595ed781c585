#include "inspection/parameter_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace dietmt::inspection {
namespace {

// "encoder.layer10" after "encoder.layer9".
bool before(const std::string& a, const std::string& b) {
  const auto split = [](const std::string& name) {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    return std::pair(name.substr(0, digits),
                     digits == name.size() ? -1 : std::stoll(name.substr(digits)));
  };
  return split(a) < split(b);
}

}  // namespace

std::string parameter_table(encoders::ParameterCounts counts) {
  std::ranges::sort(counts, before, [](const auto& row) { return row.first; });
  double positions = 0.0;
  std::string table;
  for (const auto& [component, count] : counts) {
    if (component.find("position.") != std::string::npos) positions += count;
    table += fmt::format("{}\t{:.0f}\n", component, count);
  }
  return table +
         fmt::format("positions\t{:.0f}\ntotal\t{:.0f}\n", positions, encoders::total(counts));
}

}  // namespace dietmt::inspection
