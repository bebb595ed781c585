// Checks that work takes time in proportion to the size of its input.
#pragma once

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

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
/// 2) to make(2 * size), since one of them may cross the size of a cache. Takes the lower of two
/// estimates, and real growth shows in each: from the least time of each size, and the median
/// of attempts that work as long on small inputs as on the large one between them, since the speed
/// of the processor may change at any moment. `size`: large enough for milliseconds of work. Where
/// costs are not measurable, works once, for the sanitizers, and returns 0.
template <typename Make, typename Work>
double cost_growth(size_t size, Make make, Work work) {
  constexpr double kMeasuredSeconds = 10.0;  // longer than other programs slow the processor
  constexpr size_t kAttempts = 24, kFewestAttempts = 7;
  if (!kCostIsMeasurable) {
    work(make(2 * size));
    return 0.0;
  }
#ifdef __GLIBC__
  // Keeps freed memory in the process: otherwise large inputs would pay for cleared pages in every
  // attempt and small ones only once.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  // glibc gathers all small freed blocks when one of 64 KB is freed; without that, each by itself.
  mallopt(M_MXFAST, 0);
#endif
  const auto seconds = [&](const auto& input) { return cpu_seconds([&] { work(input); }); };
  const auto small = make(size / 2);
  const auto large = make(2 * size);
  double least_small = seconds(small);
  double least_large = seconds(large);
  std::vector<double> attempts;  // the growth in each
  const auto growth = [&] {
    const double of_least = std::sqrt(least_large / least_small);
    if (attempts.size() < kFewestAttempts) return of_least;
    const auto middle = attempts.begin() + static_cast<std::ptrdiff_t>(attempts.size() / 2);
    std::nth_element(attempts.begin(), middle, attempts.end());
    return std::min(of_least, *middle);
  };
  double measured = 0.0;
  while (growth() > kLinearGrowth && (attempts.size() < kAttempts || measured < kMeasuredSeconds)) {
    double of_small = 0.0;
    const auto work_on_small = [&] {
      const double time = seconds(small);
      least_small = std::min(least_small, time);
      of_small += time;
    };
    work_on_small();
    work_on_small();
    const double of_large = seconds(large);
    work_on_small();
    work_on_small();
    attempts.push_back(std::sqrt(4 * of_large / of_small));
    measured += of_small + of_large;
    least_large = std::min(least_large, of_large);
  }
  return growth();
}

}  // namespace dietmt
