// The Range field of a request (RFC 9110, section 14).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dietmt::service {

struct ByteRange {
  uint64_t first = 0;
  uint64_t last = 0;  // inclusive

  uint64_t size() const { return last - first + 1; }
};

struct RangeRequest {
  std::optional<ByteRange> range;  // none: it is past the end of the content
};

/// Nullopt for a field that a server ignores: not in bytes, malformed, or several ranges.
std::optional<RangeRequest> parse_range(std::string_view field, uint64_t content_size);

}  // namespace dietmt::service
