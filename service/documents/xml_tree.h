// XML documents of strangers, by libxml2: nothing is fetched and no entity is expanded.
#pragma once

#include <libxml/tree.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

class XmlTree {
 public:
  /// Throws DataError with the line if the bytes are not well-formed, declare entities or exceed a
  /// limit.
  XmlTree(std::string_view bytes, const DocumentLimits& limits);

  xmlNode* root() const { return xmlDocGetRootElement(document_.get()); }
  /// In the encoding of the document.
  std::string text() const;

 private:
  std::unique_ptr<xmlDoc, void (*)(xmlDoc*)> document_;
};

template <size_t N>
bool is_among(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The name of an element without its prefix; empty for other nodes.
std::string_view element_name(const xmlNode* node);
/// The value of an attribute, whatever its prefix; empty if it is missing.
std::string attribute(const xmlNode* element, const char* name);
std::string content_of(const xmlNode* node);
/// Of a text node or an element.
void set_content(xmlNode* node, const std::string& text);

/// Tells the nodes of a tree apart.
std::string identity_of(const xmlNode* node);

/// Calls `visit` for a node and, as far as that returns true, the nodes below it, in their order.
/// The visit may change what is below the node.
void walk(xmlNode* node, const std::function<bool(xmlNode*)>& visit);

/// Segments of adjacent text nodes: a translation goes to the first one.
class XmlSegments {
 public:
  explicit XmlSegments(std::vector<std::string>& segments) : segments_(segments) {}

  /// Adds a text node, or an element that holds only text. It belongs to the same segment as the
  /// one before if both have the same `style` and end_segment() was not called between them.
  void add(xmlNode* node, const std::string& style = "");
  void end_segment();

  /// Call it after the last end_segment().
  void fill(const std::vector<std::string>& translations) const;

 private:
  struct Group {
    std::vector<xmlNode*> nodes;
    SegmentPlace place;
  };

  std::vector<std::string>& segments_;
  std::vector<Group> groups_;
  std::vector<xmlNode*> open_;
  std::string text_;
  std::string style_;
};

}  // namespace dietmt::service
