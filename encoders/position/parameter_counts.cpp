#include "encoders/position/parameter_counts.h"

namespace dietmt::encoders {

void append(ParameterCounts& counts, const std::string& prefix, const ParameterCounts& more) {
  for (const auto& [component, count] : more) counts.emplace_back(prefix + component, count);
}

double total(const ParameterCounts& counts) {
  double sum = 0.0;
  for (const auto& [component, count] : counts) sum += count;
  return sum;
}

}  // namespace dietmt::encoders
