// Whether work costs time in proportion to the size of its input.
#pragma once

#include <algorithm>
#include <ctime>

namespace dietmt {

/// The most that the cost may grow when the size doubles.
constexpr double kLinearGrowth = 2.3;

/// How many times as long `work(make(2 * size))` takes as `work(make(size))`. Counts the CPU time
/// of this thread, which other programs hardly change, and takes the least of several measurements,
/// so that only growth at every attempt shows. `size`: such that the work takes milliseconds.
template <typename Make, typename Work>
double cost_growth(size_t size, Make make, Work work) {
  constexpr int kAttempts = 9;
  const auto cpu_seconds = [&](const auto& input) {
    timespec begin = {}, end = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    work(input);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return static_cast<double>(end.tv_sec - begin.tv_sec) +
           1e-9 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
  };
  const auto once = make(size);
  const auto twice = make(2 * size);
  double least_once = cpu_seconds(once);
  double least_twice = cpu_seconds(twice);
  for (int i = 0; i < kAttempts && least_twice > kLinearGrowth * least_once; ++i) {
    least_once = std::min(least_once, cpu_seconds(once));
    least_twice = std::min(least_twice, cpu_seconds(twice));
  }
  return least_twice / least_once;
}

}  // namespace dietmt
