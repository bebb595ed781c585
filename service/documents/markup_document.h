// Text with tags, which are marks of its segments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/html_attributes.h"
#include "service/documents/places_document.h"

namespace dietmt::service {

/// Text whose translation is the same keeps its bytes, and each tag is written once, whatever the
/// translation lacks. Attributes of tags are segments after the text around them.
class MarkupDocument : public PlacesDocument {
 public:
  std::string translated(const std::vector<Translation>& translations) override;

  /// Text as it is written, and its meaning; or a tag.
  struct Piece {
    std::string raw = {};
    std::string text = {};
    std::string mark = {};  // its name as a mark; "": the tag itself
    std::optional<TextTag> tag = {};
    std::string if_same = {};  // instead of the tag, if the text around it stays
    std::vector<std::optional<SegmentPlace>> values = {};  // of the tag; unset: not translated
  };

  /// Text and tags that are one segment.
  struct Run {
    std::vector<Piece> pieces = {};
    bool keeps_lines = false;
    nmt::Spellings spellings = {};
    /// Writes a translation, whose tags are written; nullopt: it would break the markup.
    std::optional<std::string> (*join)(const Run& run, const Translation& translation) = nullptr;
    std::string line_break = {};  // for join()
    size_t width = 0;
  };

 protected:
  explicit MarkupDocument(LanguagePair languages) : languages_(std::move(languages)) {}

  /// Adds the text between two block tags as a segment, and so on.
  void add_html(std::string_view html);
  void add_run(Run run);
  void add_tag(TextTag tag);

 private:
  struct Value {
    std::string raw;
    std::string (*encode)(const std::string& text) = nullptr;
  };
  struct Segment {
    Run run;
    std::optional<Value> value;  // an attribute, without a run
  };

  std::vector<std::optional<SegmentPlace>> add_values(const TextTag& tag);
  std::string written(const SegmentPlace& place, const Translation& translation) override;
  std::string written_tag(const Piece& piece);

  LanguagePair languages_;
  std::vector<Segment> contents_;  // by segment
  const std::vector<Translation>* translations_ = nullptr;
};

}  // namespace dietmt::service
