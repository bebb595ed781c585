// Attributes and elements that hold one text without formatting: the description of a picture, the
// title of a document.
#pragma once

#include <libxml/tree.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/documents/office/unique_segments.h"

namespace dietmt::service {

/// Where such a text is. Empty: any.
struct ValuePlace {
  std::string_view element;
  std::string_view attribute;  // empty: the content of the element
  std::string_view parent = {};
  std::string_view space = {};  // part of the element's namespace
};

class PlainValues {
 public:
  explicit PlainValues(UniqueSegments& segments) : segments_(segments) {}

  /// Adds an element's value if one of the places is its.
  void add_at(xmlNode* element, std::span<const ValuePlace> places);
  bool empty() const { return values_.empty(); }
  void fill(const std::vector<Translation>& translations) const;

 private:
  void add(xmlNode* value);

  UniqueSegments& segments_;
  std::vector<std::pair<xmlNode*, SegmentPlace>> values_;
};

}  // namespace dietmt::service
