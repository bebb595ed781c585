// Paragraphs of Word and OpenDocument: text whose formatting changes is one segment, with tags
// around the stretches that are formatted unlike most of it.
#pragma once

#include <libxml/tree.h>

#include <functional>
#include <string>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// A node with text: a text node, or an element that holds only text.
struct StyledText {
  xmlNode* text = nullptr;
  xmlNode* item = nullptr;  // the node or the element around it that has the formatting
  std::string style;
};

class StyledSegments {
 public:
  /// `copy_item` gives a copy of an item with another text.
  StyledSegments(std::vector<std::string>& segments,
                 std::function<xmlNode*(const StyledText&, const std::string&)> copy_item)
      : segments_(segments), copy_item_(std::move(copy_item)) {}

  /// Texts are of one segment until end_segment() or an item of another parent.
  void add(StyledText text);
  void end_segment();

  /// Call it once, after the last end_segment(). A translation without tags goes to the first node;
  /// otherwise its stretches become copies of items, behind the first one. If its tags are not
  /// those of the segment, it has the formatting of most of the text.
  void fill(const std::vector<std::string>& translations) const;

 private:
  struct Group {
    std::vector<StyledText> texts;
    std::string tag;             // the name of its tags before their numbers
    std::vector<size_t> styles;  // of the tags, and last that of the other text: among texts
    SegmentPlace place;
  };
  // A part of a translation, formatted as one of the texts.
  struct Stretch {
    size_t style = 0;
    std::string text;
  };

  static std::vector<Stretch> stretches_of(const Group& group, const std::string& text);
  void write(const Group& group, const std::vector<Stretch>& stretches) const;

  std::vector<std::string>& segments_;
  std::function<xmlNode*(const StyledText&, const std::string&)> copy_item_;
  std::vector<Group> groups_;
  std::vector<StyledText> open_;
};

}  // namespace dietmt::service
