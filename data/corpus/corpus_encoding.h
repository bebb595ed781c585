// Encoding corpora into a cache: parallel work in a fixed order, and the fingerprint of the inputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/process.h"

namespace dietmt::data {

/// Applies `work` to the results of `next` in up to `threads` threads until `next` returns nullopt,
/// and passes the results to `take` in input order. Throws Stopped if stop_requested().
template <typename Next, typename Work, typename Take>
void work_in_order(int64_t threads, Next next, Work work, Take take) {
  using Input = typename std::invoke_result_t<Next>::value_type;
  std::deque<std::future<std::invoke_result_t<Work, const Input&>>> in_flight;
  const auto take_oldest = [&] {
    auto result = in_flight.front().get();
    in_flight.pop_front();
    take(std::move(result));
  };
  while (std::optional<Input> input = next()) {
    throw_if_stop_requested();
    if (std::ssize(in_flight) >= std::max<int64_t>(threads, 1)) take_oldest();
    in_flight.push_back(
        std::async(std::launch::async, [&work, input = std::move(*input)] { return work(input); }));
  }
  while (!in_flight.empty()) take_oldest();
}

/// FNV-1a.
uint64_t hash_of(std::string_view bytes);

/// A line per file: path, size and modification time. Nullopt if a file is missing or can be read
/// only once (standard input, a pipe).
std::optional<std::string> fingerprint_of_files(std::span<const std::string> files);

}  // namespace dietmt::data
