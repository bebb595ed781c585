#include "service/http/byte_range.h"

#include <algorithm>
#include <charconv>

namespace dietmt::service {
namespace {

std::optional<uint64_t> number(std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<RangeRequest> parse_range(std::string_view field, uint64_t content_size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!field.starts_with(kUnit)) return std::nullopt;
  field.remove_prefix(kUnit.size());
  const size_t hyphen = field.find('-');
  if (hyphen == field.npos) return std::nullopt;
  const std::string_view before = field.substr(0, hyphen);
  const std::string_view after = field.substr(hyphen + 1);
  if (before.empty()) {  // the last bytes
    const auto count = number(after);
    if (!count) return std::nullopt;
    if (*count == 0 || content_size == 0) return RangeRequest{};
    return RangeRequest{ByteRange{content_size - std::min(*count, content_size), content_size - 1}};
  }
  const auto first = number(before);
  const auto last = after.empty() ? UINT64_MAX : number(after);
  if (!first || !last || *last < *first) return std::nullopt;
  if (*first >= content_size) return RangeRequest{};
  return RangeRequest{ByteRange{*first, std::min(*last, content_size - 1)}};
}

}  // namespace dietmt::service
