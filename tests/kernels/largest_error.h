// How far results are from exact ones.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace dietmt::kernels {

/// NaN if any value or exact value is NaN, even if larger errors follow.
inline double largest_error(const std::vector<double>& values, const std::vector<double>& exact) {
  double largest = 0.0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double error = values[i] == exact[i] ? 0.0 : std::fabs(values[i] - exact[i]);
    if (std::isnan(error)) return error;
    largest = std::fmax(largest, error);
  }
  return largest;
}

}  // namespace dietmt::kernels
