// The markup of a sentence as a tree of elements and points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::nmt {

/// Parts first .. last - 1 of a text.
struct Run {
  size_t first = 0;
  size_t last = 0;

  bool empty() const { return first >= last; }
  size_t length() const { return empty() ? 0 : last - first; }
};

/// An element or a point. The root is the sentence.
struct MarkupNode {
  int32_t open = -1;  // marks; -1: none in this sentence
  int32_t close = -1;
  Run source;
  bool from_start = false;  // its start tag is in an earlier sentence, or it is the root
  bool to_end = false;      // its end tag is in a later sentence
  std::vector<MarkupNode> children;

  Run target;                 // if empty, a point before part target.first
  bool glued_before = false;  // the point belongs to the part before it

  bool is_point() const { return target.empty(); }
  size_t mark() const { return static_cast<size_t>(open >= 0 ? open : close); }
};

/// The tree of the marks over the source's parts, without places in the target. A tag without a
/// partner extends to the end of the sentence, or from its start, unless a pair of tags encloses
/// it; then it is a point. A word split by tags belongs to the first element that has some of it.
MarkupNode markup_tree(const MarkedText& source, std::span<const data::TextSpan> parts);

/// Writes the parts of the target, the white space between them, and the marks in their places.
std::vector<MarkedPart> written_markup(const MarkupNode& root, std::span<const InlineMark> marks,
                                       std::string_view target,
                                       std::span<const data::TextSpan> target_parts);

}  // namespace dietmt::nmt
