// Text in which only certain places are replaced.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// Text that stays and text that is translated, alternating.
class PlacesDocument : public Document {
 public:
  std::string translated(const std::vector<Translation>& translations) override {
    std::string text;
    for (const auto& [fixed, place] : parts_) {
      text += fixed;
      if (place) text += written(*place, translations.at(place->segment));
    }
    return text;
  }

 protected:
  /// A translation in its place.
  virtual std::string written(const SegmentPlace& place, const Translation& translation) {
    return place.before + replacement(place.segment, translation) + place.after;
  }
  /// The replacement of a segment.
  virtual std::string replacement(size_t /*segment*/, const Translation& translation) const {
    return plain_text(translation);
  }

  void keep(std::string_view text) { open_part().first += text; }

  /// Returns false, and leaves the text out, if it has nothing to translate.
  bool add(nmt::MarkedText text) {
    auto place = add_segment(std::move(text), segments_);
    if (!place) return false;
    add_place(*std::move(place));
    return true;
  }

  void add_place(SegmentPlace place) { open_part().second = std::move(place); }

 private:
  using Part = std::pair<std::string, std::optional<SegmentPlace>>;

  // The last one if it has no place yet: a part for each blank line would take 100 times its size.
  Part& open_part() {
    if (parts_.empty() || parts_.back().second) parts_.emplace_back();
    return parts_.back();
  }

  std::vector<Part> parts_;
};

}  // namespace dietmt::service
