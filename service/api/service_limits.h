// Limits on a request. The error of a refused request names the limit.
#pragma once

#include <chrono>
#include <cstdint>

namespace dietmt::service {

struct ServiceLimits {
  int64_t characters = 200'000;  // Unicode characters of all texts of a request
  int64_t texts = 1000;          // of a request
  int64_t body_bytes = 4 * 1024 * 1024;
  int64_t beam = 32;                           // also of nbest
  double length_factor = 10.0;                 // of max_length_factor
  int64_t length_offset = 1000;                // of max_length_offset and min_length
  std::chrono::milliseconds deadline{60'000};  // from a request's arrival to its answer
};

}  // namespace dietmt::service
