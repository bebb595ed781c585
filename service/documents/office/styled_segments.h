// Paragraphs of Word and OpenDocument. Text whose formatting changes is one segment, with marks
// around stretches formatted differently from most of it, and for bookmarks and references to notes
// in between.
#pragma once

#include <libxml/tree.h>

#include <functional>
#include <string>
#include <vector>

#include "service/documents/office/unique_segments.h"

namespace dietmt::service {

/// A node with text: a text node, or an element that contains only text.
struct StyledText {
  xmlNode* text = nullptr;
  xmlNode* item = nullptr;  // the node, or the element around it that has the formatting
  std::string style;
  // The item contains nothing else, and is removed if the translation leaves it empty.
  bool goes_when_empty = false;
  bool is_raised = false;  // superscript or subscript
};

class StyledSegments {
 public:
  /// `copy_item` returns a copy of an item with another text.
  StyledSegments(UniqueSegments& segments,
                 std::function<xmlNode*(const StyledText&, const std::string&)> copy_item)
      : segments_(segments), copy_item_(std::move(copy_item)) {}

  /// Texts belong to one segment until end_segment() or an item with another parent.
  void add(StyledText text);
  /// Adds a node between the items. If texts of a segment are on both sides of it, the translation
  /// contains it exactly once; otherwise it stays in place. `range`: equal for a start and its end,
  /// which stay in this order; empty for others.
  void add_mark(xmlNode* node, const std::string& range);
  void end_segment();

  bool empty() const { return groups_.empty(); }

  /// Call it once, after the last end_segment(). A translation without marks goes to the first node
  /// with the predominant formatting. Otherwise its stretches become copies of items, after the
  /// first one. If a mark is missing, all text gets the predominant formatting, and the nodes
  /// between the items follow it.
  void fill(const std::vector<Translation>& translations) const;

 private:
  // A node between the items.
  struct Mark {
    xmlNode* node = nullptr;
    std::string range;
    size_t before = 0;  // texts of the segment before it
    size_t order = 0;   // among the marks of the segment
  };
  struct Group {
    std::vector<StyledText> texts;
    size_t main = 0;  // the style of text outside marks, as an index into texts
    // For each mark of the segment: the formatting that begins or ends, or a node.
    std::vector<size_t> styles;  // indices into texts
    std::vector<Mark> nodes;     // node: null for formatting
    SegmentPlace place;
  };
  // Part of a translation: text formatted like one of the texts, or a node.
  struct Piece {
    size_t style = 0;
    std::string text = {};
    Mark mark = {};
  };

  class Encoder;

  std::vector<Piece> pieces_of(const Group& group, const Translation& translation) const;
  static std::vector<Piece> in_order_of_ranges(std::vector<Piece> pieces);
  void write(const Group& group, std::vector<Piece> pieces) const;

  UniqueSegments& segments_;
  std::function<xmlNode*(const StyledText&, const std::string&)> copy_item_;
  std::vector<Group> groups_;
  std::vector<StyledText> open_;
  std::vector<Mark> open_marks_;
};

}  // namespace dietmt::service
