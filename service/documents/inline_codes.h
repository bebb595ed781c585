// Texts of XML with inline elements, as TMX and XLIFF have them: one segment with a tag for each
// element, <g0>, so that a translation can move it with its words.
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
  explicit InlineSegments(std::vector<std::string>& segments) : segments_(segments) {}

  /// Adds the content of an element as one segment, if it has a letter to translate. Comments and
  /// processing instructions are codes. `keeps_lines`: its line breaks are not spaces.
  void add(xmlNode* element, bool keeps_lines, const InlineKindOf& kind_of);

  /// Rebuilds the content of all elements. Each inline node is in it exactly once: if a translation
  /// has not each of them once and nested, they follow its text in their order. Call it once.
  void fill(const std::vector<std::string>& translations) const;

 private:
  // An element, a pair of codes, or one code.
  struct Code {
    xmlNode* open = nullptr;
    xmlNode* close = nullptr;  // of a pair
    bool is_element = false;
    bool is_point() const { return !is_element && close == nullptr; }
  };

  struct Segment {
    xmlNode* element = nullptr;
    std::string tag;  // the name of its tags before their numbers
    std::vector<Code> codes;
    SegmentPlace place;
  };

  class Encoder;
  class Rebuilder;

  std::vector<std::string>& segments_;
  std::vector<Segment> filled_;
};

}  // namespace dietmt::service
