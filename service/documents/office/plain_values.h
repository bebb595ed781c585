// Attributes and elements that hold one text without formatting: the description of a picture, the
// title of a document.
#pragma once

#include <libxml/tree.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/office/unique_segments.h"

namespace dietmt::service {

/// Where such a text is. Empty: any.
struct ValuePlace {
  std::string_view element;
  std::string_view attribute;  // empty: the content of the element
  std::string_view parent = {};
  std::string_view space = {};  // part of the element's namespace
  size_t most_characters = 0;   // 0: no limit
};

class PlainValues {
 public:
  explicit PlainValues(UniqueSegments& segments) : segments_(segments) {}

  /// Adds an element's value if one of the places is its. Returns whether that is its content.
  bool add_at(xmlNode* element, std::span<const ValuePlace> places);
  bool empty() const { return values_.empty(); }
  /// The texts that fill() writes.
  std::vector<std::string> filled(const std::vector<Translation>& translations) const;
  /// Returns how many values stay because their translation is too long.
  size_t fill(const std::vector<Translation>& translations) const;
  const std::vector<SegmentPlace>& places() const { return places_; }

 private:
  struct Value {
    xmlNode* node = nullptr;
    size_t most_characters = 0;
  };

  void add(Value value);

  UniqueSegments& segments_;
  std::vector<Value> values_;
  std::vector<SegmentPlace> places_;  // of each value
};

}  // namespace dietmt::service
