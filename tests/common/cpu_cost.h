// Checks that work takes time in proportion to the size of its input.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>

namespace dietmt {

/// Copies of `text`, `bytes` or a little more, with the number of the copy at each `@`.
inline std::string repeated(std::string_view text, size_t bytes) {
  std::string all;
  for (size_t i = 0; all.size() < bytes; ++i)
    for (const char c : text) c == '@' ? all += std::to_string(i) : all += c;
  return all;
}

/// Sanitizers add to each instruction and allocation what hides the cost of the work.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCostIsMeasurable = false;
#else
constexpr bool kCostIsMeasurable = true;
#endif

/// How much the cost may grow when the size doubles.
constexpr double kLinearGrowth = 2.3;

/// CPU time of this thread, which other programs hardly affect.
template <typename Work>
double cpu_seconds(Work work) {
  timespec begin = {}, end = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  work();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return static_cast<double>(end.tv_sec - begin.tv_sec) +
         1e-9 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
}

/// How much longer work() takes when its input doubles: the mean of two doublings, from make(size /
/// 2) to make(2 * size), since one of them may cross the size of a cache. Takes the least of
/// several measurements, so that only growth in every attempt shows. `size`: large enough for
/// milliseconds of work. Where costs are not measurable, works once, for the sanitizers, and
/// returns 0.
template <typename Make, typename Work>
double cost_growth(size_t size, Make make, Work work) {
  constexpr double kMeasuredSeconds = 10.0;  // longer than other programs slow the processor
  constexpr int kAttempts = 24;
  if (!kCostIsMeasurable) {
    work(make(2 * size));
    return 0.0;
  }
  // Keeps freed memory in the process: otherwise large inputs would pay for cleared pages in every
  // attempt and small ones only once.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  // glibc gathers all small freed blocks when one of 64 KB is freed; without that, each by itself.
  mallopt(M_MXFAST, 0);
  const auto seconds = [&](const auto& input) { return cpu_seconds([&] { work(input); }); };
  const auto small = make(size / 2);
  const auto large = make(2 * size);
  double least_small = seconds(small);
  double least_large = seconds(large);
  const auto growth = [&] { return std::sqrt(least_large / least_small); };
  double measured = 0.0;
  for (int i = 0; growth() > kLinearGrowth; ++i) {
    if (i >= kAttempts && measured >= kMeasuredSeconds) break;
    const double of_small = seconds(small), of_large = seconds(large);
    measured += of_small + of_large;
    least_small = std::min(least_small, of_small);
    least_large = std::min(least_large, of_large);
  }
  return growth();
}

}  // namespace dietmt
