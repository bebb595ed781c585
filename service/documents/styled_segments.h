// Paragraphs of Word and OpenDocument: text whose formatting changes is one segment, with tags
// around the stretches that are formatted unlike most of it, and for bookmarks and references to
// notes between them.
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
  // The item is nothing without text, and of one segment: a tracked insertion.
  bool goes_when_empty = false;
};

class StyledSegments {
 public:
  /// `copy_item` gives a copy of an item with another text.
  StyledSegments(std::vector<std::string>& segments,
                 std::function<xmlNode*(const StyledText&, const std::string&)> copy_item)
      : segments_(segments), copy_item_(std::move(copy_item)) {}

  /// Texts are of one segment until end_segment() or an item of another parent.
  void add(StyledText text);
  /// A node beside the items that is in the translation exactly once, if texts of a segment are on
  /// both sides of it; otherwise it stays where it is. `range`: the same for its beginning and its
  /// end, which stay in this order; empty for others.
  void add_mark(xmlNode* node, const std::string& range);
  void end_segment();

  /// Call it once, after the last end_segment(). A translation without tags goes to the first
  /// node with the formatting of most of the text; otherwise its stretches become copies of items,
  /// behind the first one. If its tags are not those of the segment, it has the formatting of most
  /// of the text, and the marks follow it.
  void fill(const std::vector<std::string>& translations) const;

 private:
  struct Mark {
    xmlNode* node = nullptr;
    std::string range;
    size_t before = 0;  // the texts of the segment before it
    size_t order = 0;   // among the marks of the segment
  };
  // What a tag of a segment stands for: a style or a mark.
  struct Code {
    size_t style = 0;  // among texts
    Mark mark = {};    // node: null for a style
  };
  struct Group {
    std::vector<StyledText> texts;
    std::string tag;          // the name of its tags before their numbers
    std::vector<Code> codes;  // of the tags
    size_t main = 0;          // the style of the other text, among texts
    SegmentPlace place;
  };
  // A part of a translation: text that is formatted as one of the texts, or a mark.
  struct Piece {
    size_t style = 0;
    std::string text = {};
    Mark mark = {};
  };
  struct Pieces {
    std::vector<Piece> all;
    bool has_all_tags = true;
  };

  class Encoder;

  static Pieces pieces_of(const Group& group, const std::string& text);
  static std::vector<Piece> in_order_of_ranges(std::vector<Piece> pieces);
  void write(const Group& group, const Pieces& pieces) const;

  std::vector<std::string>& segments_;
  std::function<xmlNode*(const StyledText&, const std::string&)> copy_item_;
  std::vector<Group> groups_;
  std::vector<StyledText> open_;
  std::vector<Mark> open_marks_;
};

}  // namespace dietmt::service
