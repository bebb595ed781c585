// Untrusted XML documents, read with libxml2: nothing is fetched and no entity is expanded.
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
  /// In the document's encoding.
  std::string text() const;

 private:
  std::unique_ptr<xmlDoc, void (*)(xmlDoc*)> document_;
};

/// An upper bound on the number of elements and attributes.
size_t most_xml_nodes(std::string_view bytes);

template <size_t N>
bool is_among(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The name of an element without its prefix; "" for other nodes.
std::string_view element_name(const xmlNode* node);
/// The value of an attribute, whatever its prefix; "" if it is missing.
std::string attribute(const xmlNode* element, const char* name);
std::string content_of(const xmlNode* node);
/// For a text node or an element.
void set_content(xmlNode* node, const std::string& text);

enum class Copy { kWhole, kWithoutContent };

/// A copy of an element. Throws DocumentTooLargeError with the line if a document's copies together
/// exceed its size many times, such as those of one long element for many small ones.
xmlNode* copied(const xmlNode* element, Copy what);

/// Removes namespace declarations from a copy in its final place that the surrounding tree already
/// has.
void drop_repeated_namespaces(xmlNode* copy);

/// Calls `visit` for a node and, if that returns true, for the nodes below it, in order. The visit
/// may change what is below the node.
void walk(xmlNode* node, const std::function<bool(xmlNode*)>& visit);

}  // namespace dietmt::service
