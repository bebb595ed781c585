#include "service/http/byte_range.h"

#include <algorithm>

#include "common/numbers.h"

namespace dietmt::service {

std::optional<RangeRequest> parse_range(std::string_view field, uint64_t content_size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!field.starts_with(kUnit)) return std::nullopt;
  field.remove_prefix(kUnit.size());
  const size_t hyphen = field.find('-');
  if (hyphen == field.npos) return std::nullopt;
  const std::string_view before = field.substr(0, hyphen);
  const std::string_view after = field.substr(hyphen + 1);
  if (before.empty()) {  // the last bytes
    const auto count = number_in<uint64_t>(after);
    if (!count) return std::nullopt;
    if (*count == 0 || content_size == 0) return RangeRequest{};
    return RangeRequest{ByteRange{content_size - std::min(*count, content_size), content_size - 1}};
  }
  const auto first = number_in<uint64_t>(before);
  const auto last = after.empty() ? UINT64_MAX : number_in<uint64_t>(after);
  if (!first || !last || *last < *first) return std::nullopt;
  if (*first >= content_size) return RangeRequest{};
  return RangeRequest{ByteRange{*first, std::min(*last, content_size - 1)}};
}

}  // namespace dietmt::service
