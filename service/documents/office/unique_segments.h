// The segments of an office document. Equal texts are one segment: both branches of a text box, the
// cells of a sheet and the names of its columns, a chart and its values must agree.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

class UniqueSegments {
 public:
  explicit UniqueSegments(std::vector<nmt::MarkedText>& segments) : segments_(segments) {}

  /// As add_segment().
  std::optional<SegmentPlace> add(nmt::MarkedText text);

  const nmt::MarkedText& at(size_t segment) const { return segments_.at(segment); }

 private:
  std::vector<nmt::MarkedText>& segments_;
  std::unordered_map<std::string, size_t> known_;  // by text and marks
};

}  // namespace dietmt::service
