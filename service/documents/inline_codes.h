// XML text with inline elements, as in TMX and XLIFF: one segment with a mark for each end of an
// element, so that a translation can move them with their words.
#pragma once

#include <libxml/tree.h>

#include <functional>
#include <string>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// The kind of an inline node.
enum class InlineKind {
  kElement,  // contains text to translate: g, pc, mrk, hi
  kBegin,    // start of a pair of codes: bpt, bx, sc
  kEnd,      // end of a pair: ept, ex, ec
  kCode,     // stays unchanged, with its content: x, ph, it
};

struct InlineNode {
  InlineKind kind = InlineKind::kCode;
  std::string pair;  // equal for the start and the end of a pair
};

/// The kind of an element inside a text.
using InlineKindOf = std::function<InlineNode(const xmlNode*)>;

class InlineSegments {
 public:
  explicit InlineSegments(std::vector<nmt::MarkedText>& segments) : segments_(segments) {}

  /// Adds the content of an element as one segment, if it contains a letter. Comments and
  /// processing instructions are codes. `keeps_lines`: line breaks are not spaces.
  void add(xmlNode* element, bool keeps_lines, const InlineKindOf& kind_of);

  /// Rebuilds the content of all elements. Each inline node occurs exactly once: unless a
  /// translation has each of them once and properly nested, they follow its text in order. Call it
  /// once.
  void fill(const std::vector<Translation>& translations) const;

 private:
  // What a mark stands for: an element opens or closes around text; other nodes are written.
  struct Node {
    xmlNode* node = nullptr;
    bool is_element = false;
    bool is_end = false;  // of an element
  };

  struct Segment {
    xmlNode* element = nullptr;
    std::vector<Node> nodes;  // by mark
    SegmentPlace place;
  };

  class Encoder;

  static void add_in_places(const Segment& segment, const Translation& translation);
  static void add_after_text(const Segment& segment, const Translation& translation);

  std::vector<nmt::MarkedText>& segments_;
  std::vector<Segment> filled_;
};

}  // namespace dietmt::service
