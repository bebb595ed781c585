// Texts of XML with inline elements, as TMX and XLIFF have them: one segment with a mark for each
// end of an element, so that a translation can move it with its words.
#pragma once

#include <libxml/tree.h>

#include <functional>
#include <string>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// What an inline node is.
enum class InlineKind {
  kElement,  // text to translate is inside: g, pc, mrk, hi
  kBegin,    // the beginning of a pair of codes: bpt, bx, sc
  kEnd,      // and its end: ept, ex, ec
  kCode,     // stays as it is, with all inside it: x, ph, it
};

struct InlineNode {
  InlineKind kind = InlineKind::kCode;
  std::string pair;  // the same for the beginning and the end of a pair
};

/// Of an element inside a text.
using InlineKindOf = std::function<InlineNode(const xmlNode*)>;

class InlineSegments {
 public:
  explicit InlineSegments(std::vector<nmt::MarkedText>& segments) : segments_(segments) {}

  /// Adds the content of an element as one segment, if it has a letter to translate. Comments and
  /// processing instructions are codes. `keeps_lines`: its line breaks are not spaces.
  void add(xmlNode* element, bool keeps_lines, const InlineKindOf& kind_of);

  /// Rebuilds the content of all elements. Each inline node is in it exactly once: if a translation
  /// has not each of them once and nested, they follow its text in their order. Call it once.
  void fill(const std::vector<Translation>& translations) const;

 private:
  // What a mark stands for: an element opens or closes around text, other nodes are written.
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
