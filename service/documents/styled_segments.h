// Paragraphs of Word and OpenDocument: text whose formatting changes is one segment, with marks
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
  // The item has nothing else, and is removed if the translation leaves it empty.
  bool goes_when_empty = false;
};

class StyledSegments {
 public:
  /// `copy_item` gives a copy of an item with another text.
  StyledSegments(std::vector<nmt::MarkedText>& segments,
                 std::function<xmlNode*(const StyledText&, const std::string&)> copy_item)
      : segments_(segments), copy_item_(std::move(copy_item)) {}

  /// Texts are of one segment until end_segment() or an item of another parent.
  void add(StyledText text);
  /// A node between the items that is in the translation exactly once, if texts of a segment are on
  /// both sides of it; otherwise it stays where it is. `range`: the same for its beginning and its
  /// end, which stay in this order; empty for others.
  void add_mark(xmlNode* node, const std::string& range);
  void end_segment();

  /// Call it once, after the last end_segment(). A translation without marks goes to the first
  /// node with the formatting of most of the text. Otherwise its stretches become copies of items,
  /// after the first one. If a mark is missing, all text gets the formatting of most of the text,
  /// and the nodes between the items follow it.
  void fill(const std::vector<Translation>& translations) const;

 private:
  // A node between the items.
  struct Mark {
    xmlNode* node = nullptr;
    std::string range;
    size_t before = 0;  // the texts of the segment before it
    size_t order = 0;   // among the marks of the segment
  };
  struct Group {
    std::vector<StyledText> texts;
    size_t main = 0;  // the style of the text outside of marks, among texts
    // Of the marks of the segment: the formatting that begins or ends, or a node.
    std::vector<size_t> styles;  // among texts
    std::vector<Mark> nodes;     // node: null for formatting
    SegmentPlace place;
  };
  // A part of a translation: text that is formatted as one of the texts, or a node.
  struct Piece {
    size_t style = 0;
    std::string text = {};
    Mark mark = {};
  };

  class Encoder;

  std::vector<Piece> pieces_of(const Group& group, const Translation& translation) const;
  static std::vector<Piece> in_order_of_ranges(std::vector<Piece> pieces);
  void write(const Group& group, std::vector<Piece> pieces) const;

  std::vector<nmt::MarkedText>& segments_;
  std::function<xmlNode*(const StyledText&, const std::string&)> copy_item_;
  std::vector<Group> groups_;
  std::vector<StyledText> open_;
  std::vector<Mark> open_marks_;
};

}  // namespace dietmt::service
