// Text in which only places are replaced.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// What stays and what is translated, in turns.
class PlacesDocument : public Document {
 public:
  std::string translated(const std::vector<std::string>& translations) override {
    std::string text;
    for (const auto& [fixed, place] : parts_) {
      text += fixed;
      if (place) text += place->before + replacement(*place, translations) + place->after;
    }
    return text;
  }

 protected:
  /// What replaces the segment of `place`.
  virtual std::string replacement(const SegmentPlace& place,
                                  const std::vector<std::string>& translations) const {
    return translations.at(place.segment);
  }

  void keep(std::string_view text) { parts_.emplace_back(text, std::nullopt); }

  /// False if the text has nothing to translate; it is kept then.
  bool add(std::string_view text) {
    auto place = add_segment(text, segments_);
    const bool is_segment = place.has_value();
    if (is_segment)
      parts_.emplace_back("", *std::move(place));
    else
      keep(text);
    return is_segment;
  }

 private:
  std::vector<std::pair<std::string, std::optional<SegmentPlace>>> parts_;
};

}  // namespace dietmt::service
