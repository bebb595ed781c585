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

bool are_large(const ParameterCounts& counts, const std::string& prefix) {
  double sum = 0.0;
  for (const auto& [component, count] : counts)
    if (component.starts_with(prefix)) sum += count;
  return sum > total(counts) / 4.0;
}

}  // namespace dietmt::encoders
