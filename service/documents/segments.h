// The places of segments in a document, with the spaces around them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

struct SegmentPlace {
  size_t segment = 0;
  std::string before;  // spaces
  std::string after;

  /// The text that replaces the one that was added.
  std::string filled(const std::vector<std::string>& translations) const {
    return before + translations.at(segment) + after;
  }
};

bool has_letter(std::string_view text);

/// Adds `text` without the spaces around it to `segments`, unless it has no letter to translate.
std::optional<SegmentPlace> add_segment(std::string_view text, std::vector<std::string>& segments);

}  // namespace dietmt::service
