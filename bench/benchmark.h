// Shared parts of the benchmarks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <vector>

#include "common/error.h"
#include "common/logging.h"
#include "common/options.h"
#include "common/process.h"

namespace dietmt::bench {

inline const OptionRule kCount{.least = 1};
inline const OptionRule kThreads{.least = 1, .most = 1024};

/// As Python's statistics.median, with which the other programs report theirs.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

/// How long `work` takes.
inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Lengths of sentences, spread evenly over shortest .. longest in a fixed order, of `tokens`
/// tokens or just more in all.
inline std::vector<int64_t> spread_lengths(int64_t shortest, int64_t longest, int64_t tokens) {
  std::vector<int64_t> lengths;
  for (int64_t sum = 0; sum < tokens; sum += lengths.back())
    lengths.push_back(shortest + (std::ssize(lengths) * 7919) % (longest - shortest + 1));
  return lengths;
}

/// The main function of a benchmark with these options: its exit code.
inline int run_benchmark(OptionTable& table, int argc, char** argv,
                         const std::function<void()>& run) {
  init_logging();
  try {
    if (table.parse({argv + 1, argv + argc}) == OptionTable::Outcome::kDone) return 0;
    table.check();
    run();
    return 0;
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

}  // namespace dietmt::bench
