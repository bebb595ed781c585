// Tags that stand for inline elements and formatting in a segment: <g0>, </g0>, <g1/>.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dietmt::service {

struct SegmentTag {
  size_t code = 0;
  bool opens = false;
  bool closes = false;  // both: a point
  size_t begin = 0;     // bytes of the text
  size_t end = 0;
};

/// A name of tags that the text does not have: g, gg, ...
std::string unused_tag_name(std::string_view text);

/// The next tag <NAMEn>, </NAMEn> or <NAMEn/> from byte `at` on.
std::optional<SegmentTag> next_tag(std::string_view text, size_t at, std::string_view name);

}  // namespace dietmt::service
