#include "service/documents/office/unique_segments.h"

#include <utility>

namespace dietmt::service {
namespace {

std::string key_of(const nmt::MarkedText& segment) {
  std::string key = segment.text;
  for (const nmt::InlineMark& mark : segment.marks)
    key += '\0' + std::to_string(mark.at) + mark.parts.front().text;
  return key;
}

}  // namespace

std::optional<SegmentPlace> UniqueSegments::add(nmt::MarkedText text) {
  auto place = add_segment(std::move(text), segments_);
  if (!place) return place;
  const auto [known, is_new] = known_.emplace(key_of(segments_.back()), place->segment);
  if (!is_new) {
    segments_.pop_back();
    place->segment = known->second;
  }
  return place;
}

}  // namespace dietmt::service
